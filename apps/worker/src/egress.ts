import { join } from "node:path";
import type { Job, VerdictRecord } from "@worktree-hive/domain";
import { EGRESS_SOCKET, type EgressProxy, startEgressProxy } from "@worktree-hive/jail";
import { repositoryConfig, type WorkerDeps } from "./deps.ts";

/** Refusals that one run gets on record; an agent may try hosts without end. */
const MAX_RECORDED = 100;

/**
 * Opens the way out of a job's runs: to the hosts of the configuration and of the job's repository, nowhere else.
 * Every refused host goes on record once; what is allowed is not recorded.
 */
export async function openEgress(
  deps: Pick<WorkerDeps, "config" | "layout" | "clock" | "log">,
  job: Pick<Job, "id" | "repository">,
  onDenial: (verdict: VerdictRecord) => Promise<void>,
): Promise<EgressProxy> {
  const recorded = new Set<string>();
  return startEgressProxy({
    socketPath: join(deps.layout.job(job.id).sockets, EGRESS_SOCKET),
    allow: [...deps.config.egress.allow, ...(repositoryConfig(deps.config, job)?.egress_allow ?? [])],
    onVerdict: async (verdict) => {
      const known = recorded.has(verdict.subject) || recorded.size >= MAX_RECORDED;
      if (verdict.decision === "allow" || known) return;
      recorded.add(verdict.subject);
      const at = deps.clock.now().toISOString();
      await onDenial({ ...verdict, jobId: job.id, runId: null, layer: "egress", at });
    },
    onError: (error) => deps.log.warn({ err: error, jobId: job.id }, "the egress proxy failed at a request"),
  });
}
