import type { Sha } from "@worktree-hive/domain";
import type { Hub } from "./hub.ts";
import { type PushOutcome, pushOutcomeOf, resolveUnsettled } from "./push-outcome.ts";
import { classifyFailure, type RemoteFailure } from "./remote-failure.ts";

export interface UpstreamPush {
  readonly hub: Hub;
  readonly gateDir: string;
  readonly branch: string;
  readonly expected: Sha | null;
  readonly head: Sha;
  /** Environment that shows the quarantined objects. */
  readonly env: Readonly<Record<string, string>>;
}

/** `unknown`: the remote could not be read back, or holds something that explains nothing; the charge stays. */
export type UpstreamResult =
  | { readonly outcome: "pushed" }
  | { readonly outcome: "void"; readonly failure: RemoteFailure; readonly detail: string }
  | { readonly outcome: "unknown"; readonly detail: string };

/**
 * Pushes one commit to the job's branch with the recorded tip as its lease, then believes only what the remote says
 * (S35, S36). The lease is given for fast-forwards too.
 */
export async function pushUpstream(push: UpstreamPush): Promise<UpstreamResult> {
  const { hub, branch, expected, head } = push;
  const ref = `refs/heads/${branch}`;
  const flags = ["--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed"];
  const lease = `--force-with-lease=${ref}:${expected ?? ""}`;
  const told = await hub.remoteGit(["push", ...flags, lease, hub.url, `${head}:${ref}`], {
    gitDir: push.gateDir,
    env: push.env,
  });
  const text = `${told.stdout}\n${told.stderr}`;
  const refused = flagOf(told.stdout, ref) === "!";
  const outcome = await readBack(push);
  if (outcome === "pushed") return { outcome };
  const detail = summaryOf(text);
  // A lease that the server refused proves as much as an unchanged tip does.
  if ((outcome === "void" && !told.timedOut) || (outcome === "foreign" && refused)) {
    return { outcome: "void", failure: classifyFailure(text), detail };
  }
  return { outcome: "unknown", detail };
}

async function readBack({ hub, branch, expected, head }: UpstreamPush): Promise<PushOutcome | null> {
  try {
    const tip = await hub.remoteTip(branch);
    return (
      pushOutcomeOf({ expected, head }, tip) ??
      (await resolveUnsettled({ push: { branch, expected, head }, hub }))
    );
  } catch {
    return null; // unreachable: nobody can tell, so the push stays unsettled
  }
}

/** The porcelain status of a ref: ` ` fast-forward, `+` forced, `*` new, `=` unchanged, `!` rejected. */
function flagOf(porcelain: string, ref: string): string | null {
  const line = porcelain.split("\n").find((it) => it.slice(1).startsWith("\t") && it.includes(`:${ref}\t`));
  return line?.charAt(0) ?? null;
}

/** What the server said, then git's own words; without the lines that say nothing. */
function summaryOf(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/^[!=+* -]\t[^\t]*\t/, "").trim());
  const server = lines.filter((line) => line.startsWith("remote:"));
  const own = lines.filter((line) => !/^(?:remote:|To |Done$|hint:|error: failed to push)/.test(line));
  const said = [...server.map((line) => line.slice("remote:".length).trim()), ...own];
  return said
    .filter((line) => line !== "")
    .join(" | ")
    .slice(0, 500);
}
