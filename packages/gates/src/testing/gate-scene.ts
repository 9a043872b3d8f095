import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Push, VerdictRecord } from "@worktree-hive/domain";
import { staticCredentials } from "../credentials.ts";
import type { GitGateOptions } from "../gate-options.ts";
import { type GitGate, startGitGate } from "../git-gate.ts";
import { type Hub, openHub } from "../hub.ts";
import { sh, startUpstream, TOKEN, type Upstream, userGit } from "./upstream.ts";

export const BRANCH = "hive/job-7/fix";
export const JOB = {
  id: "job-7",
  repository: { owner: "acme", name: "app" },
  branch: BRANCH,
  baseBranch: "main",
} as const;

/** One job's gate over a real upstream, with a ledger that counts patches as the real one does. */
export interface GateScene {
  readonly upstream: Upstream;
  readonly hub: Hub;
  readonly gate: GitGate;
  /** The worktree of the agent; `origin` is the gate. */
  readonly tree: string;
  readonly verdicts: VerdictRecord[];
  readonly errors: unknown[];
  readonly ledger: { recordedTip: string | null; pushes: Push[]; charged: Set<string> };
  readonly state: { counts: boolean; limit: number; leaseGranted: boolean; allowWorkflowEdits: boolean };
  readonly faults: { at: (point: string) => Promise<void> | void };
  /** Writes a file and commits it as the agent, with the cycle trailer. */
  commit(path: string, content: string, message?: string): Promise<string>;
  push(...args: string[]): Promise<{ code: number | null; text: string }>;
  /** Ends the gate and starts it again over the same directories, as after a crash. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openScene({ cycle = 1 } = {}): Promise<GateScene> {
  const upstream = await startUpstream();
  const root = await mkdtemp(join(tmpdir(), "hive-gate-"));
  const hub = await openHub({
    dir: join(root, "hub.git"),
    repository: JOB.repository,
    url: upstream.url,
    credentials: staticCredentials(TOKEN),
  });
  const state = { counts: true, limit: 3, leaseGranted: false, allowWorkflowEdits: false };
  const ledger: GateScene["ledger"] = { recordedTip: null, pushes: [], charged: new Set() };
  const verdicts: VerdictRecord[] = [];
  const errors: unknown[] = [];
  const faults: GateScene["faults"] = { at: () => undefined };
  const charges = new Map<string, string[]>();
  const options: GitGateOptions = {
    job: JOB,
    hub,
    gateDir: join(root, "gate.git"),
    socketPath: join(root, "git.sock"),
    cycleTag: `${JOB.id}/${cycle}`,
    context: async () => ({
      recordedTip: ledger.recordedTip,
      budget: { used: ledger.charged.size, limit: state.limit, counts: state.counts },
      leaseGranted: state.leaseGranted,
      allowWorkflowEdits: state.allowWorkflowEdits,
    }),
    authorize: async (push, fixes) => {
      const open = ledger.pushes.find(({ status }) => status === "authorized");
      if (open !== undefined) return { kind: "unsettled", push: open };
      const fresh = fixes.map(({ patchId }) => patchId).filter((id) => !ledger.charged.has(id));
      const used = ledger.charged.size;
      if (state.counts && used + fresh.length > state.limit) {
        return { kind: "over_budget", used, wanted: fresh.length, budget: state.limit };
      }
      for (const id of fresh) ledger.charged.add(id);
      charges.set(push.id, fresh);
      const charged: Push = { ...push, jobId: JOB.id, runId: null, status: "authorized" };
      ledger.pushes.push(charged);
      return { kind: "authorized", push: charged, used: used + fresh.length, budget: state.limit };
    },
    settle: async (id, status) => {
      const index = ledger.pushes.findIndex((it) => it.id === id);
      const push = ledger.pushes[index];
      if (push === undefined) throw new Error(`no push ${id}`);
      ledger.pushes[index] = { ...push, status };
      if (status === "pushed") ledger.recordedTip = push.head;
      else for (const it of charges.get(id) ?? []) ledger.charged.delete(it);
    },
    onVerdict: (record) => void verdicts.push(record),
    onError: (error) => void errors.push(error),
    faults: (point) => faults.at(point),
  };
  let gate = await startGitGate(options);
  const bridge = await bridgeTo(options.socketPath);
  const tree = join(root, "tree");
  await sh(root, ["clone", "-q", `${bridge.url}/app.git`, tree]);
  await sh(tree, ["checkout", "-q", "-b", BRANCH]);
  await sh(tree, ["config", "core.hooksPath", join(hub.dir, "hooks")]);
  const env = { HIVE_CYCLE: `${JOB.id}/${cycle}`, HIVE_AGENT: "scripted" };
  return {
    upstream,
    hub,
    tree,
    verdicts,
    errors,
    ledger,
    state,
    faults,
    get gate() {
      return gate;
    },
    commit: async (path, content, message = `Change ${path}`) => {
      await writeFile(join(tree, path), content);
      await sh(tree, ["add", "-A"]);
      await sh(tree, ["commit", "-qm", message], env);
      return sh(tree, ["rev-parse", "HEAD"]);
    },
    push: (...args) => userGit(tree, ["push", ...args]),
    restart: async () => {
      await gate.close();
      gate = await startGitGate(options);
    },
    close: async () => {
      bridge.close();
      await gate.close();
      await upstream.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** What the run's init does: a local port that pipes to the gate's socket. */
async function bridgeTo(socketPath: string): Promise<{ url: string; close(): void }> {
  const server: Server = createServer((client) => {
    const gate = connect(socketPath);
    client.pipe(gate).pipe(client);
    client.on("error", () => gate.destroy());
    gate.on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
