import { createWriteStream, existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JobDetail, JobList } from "@worktree-hive/contracts";
import { type RunningCommand, start } from "@worktree-hive/exec";
import { freePort } from "@worktree-hive/testkit";
import { stringify } from "yaml";
import { PROGRAM } from "./cli.ts";
import { eventually } from "./eventually.ts";
import { HIVE_TOKEN, OWNER, REPOSITORY, WEBHOOK_SECRET } from "./forge.ts";
import type { StorePair, Stores } from "./stores.ts";

/** A process of the hive: both parts in one on the embedded pair, one each on servers. */
export type Part = "up" | "control-plane" | "worker";

export const PARTS: Readonly<Record<StorePair, readonly Part[]>> = {
  embedded: ["up"],
  servers: ["control-plane", "worker"],
};

/** Real processes of the product, which a test can kill at a named point and start again. */
export interface Hive {
  readonly url: string;
  readonly directory: string;
  start(part: Part): Promise<void>;
  /** SIGKILL, no goodbye. */
  kill(part: Part): Promise<void>;
  /** Ends a part in order; its exit code. */
  stop(part: Part): Promise<number | null>;
  stopAll(): Promise<void>;
  /** Resolves when the process that runs the worker waits at its crash point. */
  held(point: string): Promise<void>;
  release(point: string): Promise<void>;
  /** Process ids of the parts that run. */
  pids(): readonly number[];
  jobs(): Promise<JobList["jobs"]>;
  job(id: string): Promise<JobDetail>;
  /** Waits until the job of an issue is in a state and has performed what that led to. */
  inState(
    issue: number,
    state: string,
    timeoutMs?: number,
    also?: (job: JobDetail) => boolean,
  ): Promise<JobDetail>;
  /** The lines of a run's transcript so far. */
  transcript(run: string): Promise<{ readonly lines: readonly string[] }>;
  /** Gives a command as the operator `ann`. */
  command(job: string, command: string): Promise<void>;
}

export interface HiveOptions {
  readonly directory: string;
  readonly forgeUrl: string;
  readonly stores: Stores;
  readonly script: object;
  readonly holdAt?: string;
  readonly agent?: object;
  readonly isolation?: string;
  readonly egress?: object;
  /** The hive's token for the forge; `HIVE_TOKEN` unless given. */
  readonly token?: string;
  /** The search path of the hive's processes. */
  readonly path?: string;
}

export async function prepareHive(options: HiveOptions): Promise<Hive> {
  const port = await freePort();
  const { directory } = options;
  const config = join(directory, "hive.yaml");
  const hold = join(directory, "hold");
  await mkdir(hold, { recursive: true });
  await writeFile(join(directory, "script.json"), JSON.stringify(options.script));
  await writeFile(config, configFile(options, port));
  const url = `http://127.0.0.1:${port}`;
  const running = new Map<Part, RunningCommand>();
  const env = environment(options, hold, await options.stores.fresh());
  const stop = async (part: Part): Promise<number | null> => {
    const process = running.get(part);
    running.delete(part);
    await process?.kill("SIGTERM");
    return (await process?.done)?.exitCode ?? null;
  };
  const getJson = async <Answer>(path: string): Promise<Answer> => {
    const response = await fetch(`${url}${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  const jobs = async (): Promise<JobList["jobs"]> => (await getJson<JobList>("/api/jobs")).jobs;
  const job = (id: string): Promise<JobDetail> => getJson(`/api/jobs/${id}`);
  return {
    url,
    directory,
    start: async (part) => {
      const child = start(process.execPath, [PROGRAM, part, "--config", config], { cwd: directory, env });
      running.set(part, child);
      const log = createWriteStream(join(directory, `${part}.log`), { flags: "a" });
      child.stdout.pipe(log, { end: false });
      child.stderr.pipe(log, { end: false });
      if (part === "worker") return;
      await eventually(`${part} is ready`, async () => (await fetch(`${url}/readyz`)).ok, 60_000);
    },
    kill: async (part) => {
      const child = running.get(part);
      running.delete(part);
      if (child?.pid === null || child === undefined) return;
      process.kill(child.pid, "SIGKILL");
      await child.done;
    },
    stop,
    stopAll: async () => {
      for (const part of running.keys()) await stop(part);
    },
    held: (point) =>
      eventually(`the worker is held at ${point}`, async () =>
        existsSync(join(hold, `${point}.reached`)),
      ).then(() => undefined),
    release: (point) => writeFile(join(hold, `${point}.go`), ""),
    pids: () => [...running.values()].flatMap(({ pid }) => pid ?? []),
    jobs,
    job,
    transcript: async (run) => {
      const page = await getJson<{ lines: { entry: unknown }[] }>(`/api/runs/${run}/transcript`);
      return { lines: page.lines.map(({ entry }) => JSON.stringify(entry)) };
    },
    command: async (id, command) => {
      const response = await fetch(`${url}/api/jobs/${id}/commands`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ command, actor: "ann" }),
      });
      if (!response.ok) throw new Error(`${command}: ${response.status} ${await response.text()}`);
    },
    inState: (issue, state, timeoutMs, also = () => true) =>
      eventually(
        `the job of #${issue} is ${state}`,
        async () => {
          const found = (await jobs()).find((one) => one.issue.number === issue);
          if (found?.state !== state) {
            throw new Error(found === undefined ? "no job" : `${found.stateText} ${found.detail ?? ""}`);
          }
          // A state is saved before its effects are performed.
          const detail = await job(found.id);
          const settled = detail.effects.every((effect) => effect.status !== "planned");
          // The detail is read after the list, and may be a state ahead of it.
          return detail.state === state && settled && also(detail) ? detail : null;
        },
        timeoutMs,
      ),
  };
}

function configFile({ directory, forgeUrl, agent, isolation, egress }: HiveOptions, port: number): string {
  return stringify({
    version: 1,
    data_dir: join(directory, "data"),
    worktree_root: join(directory, "worktrees"),
    server: { host: "127.0.0.1", port },
    github: { api_url: forgeUrl, git_url: forgeUrl },
    allowed_owners: [OWNER],
    repositories: [{ name: `${OWNER}/${REPOSITORY}`, checks_grace_seconds: 5 }],
    agent: agent ?? { type: "scripted", script: join(directory, "script.json"), timeout_minutes: 2 },
    isolation: isolation ?? "required",
    ...(egress === undefined ? {} : { egress }),
    worker: { concurrency: 2, host: "e2e-host" },
    watch: { poll_seconds: 5 },
  });
}

function environment(
  options: HiveOptions,
  hold: string,
  stores: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    GITHUB_TOKEN: options.token ?? HIVE_TOKEN,
    ...(options.path === undefined ? {} : { PATH: options.path }),
    HIVE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    ...stores,
    ...(options.holdAt === undefined ? {} : { HIVE_HOLD_AT: options.holdAt, HIVE_HOLD_DIR: hold }),
  };
}
