import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type HiveConfig, parseConfig } from "@worktree-hive/contracts";
import {
  githubIssueKey,
  HiveError,
  type Issue,
  type Permission,
  type Store,
  systemClock,
  type Tracker,
  type Wake,
  type WakeQueue,
} from "@worktree-hive/domain";
import { createLog } from "@worktree-hive/log";
import { openStore } from "@worktree-hive/store";
import type { ControlPlaneDeps } from "../control-plane-deps.ts";

export const SECRET = "It's a Secret to Everybody";
export const REPOSITORY = { owner: "acme", name: "app" };

/** Made by the store's build; without it the first start takes longer. */
const TEMPLATE = fileURLToPath(new URL("../../../../packages/store/dist/template.tar.gz", import.meta.url));

export interface TestStore {
  readonly store: Store;
  readonly dataDir: string;
  close(): Promise<void>;
}

/** A real embedded store in a directory of its own. */
export async function openTestStore(): Promise<TestStore> {
  const dataDir = await mkdtemp(join(tmpdir(), "hive-control-plane-"));
  const store = await openStore({
    kind: "embedded",
    dataDir: join(dataDir, "store"),
    templateFile: TEMPLATE,
  });
  return {
    store,
    dataDir,
    async close() {
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A queue that remembers its wakes; `broken` makes it refuse them. */
export class WakeLog implements WakeQueue {
  readonly wakes: Wake[] = [];
  broken = false;

  async wake(wake: Wake): Promise<void> {
    if (this.broken) throw new HiveError("QUEUE_DOWN", "retryable", "the queue does not answer");
    this.wakes.push(wake);
  }

  get jobIds(): string[] {
    return this.wakes.map(({ jobId }) => jobId);
  }

  consume(): Promise<never> {
    return Promise.reject(new Error("the control plane consumes nothing"));
  }

  async ping(): Promise<boolean> {
    return !this.broken;
  }

  async close(): Promise<void> {
    this.wakes.length = 0;
  }
}

/** A tracker and the part of a forge that the intake asks, over issues in memory. */
export class IssueDesk implements Tracker, Pick<ControlPlaneDeps["forge"], "permissionOf" | "repository"> {
  readonly name = "github";
  readonly issues = new Map<string, Issue>();
  readonly permissions = new Map<string, Permission>([["ann", "write"]]);
  archived = false;
  /** Off, so that the sweep at a start finds nothing that a test did not ask it to find. */
  listing = false;
  reads = 0;
  /** Is awaited before an issue is read; to stall or fail. */
  beforeRead: () => Promise<void> = async () => undefined;

  file(number: number, fields: Partial<Issue> = {}): Issue {
    const key = githubIssueKey(REPOSITORY, number);
    const issue: Issue = {
      tracker: "github",
      key,
      number,
      url: `https://github.com/acme/app/issues/${number}`,
      title: `Mend thing ${number}`,
      repository: REPOSITORY,
      body: "Please.",
      author: { id: 7, login: "ann", kind: "human" },
      open: true,
      labels: ["hive"],
      isPull: false,
      ...fields,
    };
    this.issues.set(key, issue);
    return issue;
  }

  async issue(repository: { owner: string; name: string }, number: number): Promise<Issue> {
    this.reads += 1;
    await this.beforeRead();
    const found = this.issues.get(githubIssueKey(repository, number));
    if (found === undefined) throw new HiveError("FORGE_NOT_FOUND", "invalid", `no issue ${number}`);
    return found;
  }

  async openIssues(_repository: unknown, { labels }: { labels: readonly string[] }): Promise<Issue[]> {
    if (!this.listing) return [];
    return [...this.issues.values()].filter(
      (issue) => issue.open && !issue.isPull && issue.labels.some((label) => labels.includes(label)),
    );
  }

  async upsertComment(): Promise<void> {
    throw new Error("the control plane writes nothing on the forge");
  }

  async permissionOf(_repository: unknown, login: string): Promise<Permission> {
    return this.permissions.get(login) ?? "none";
  }

  async repository(name: { owner: string; name: string }) {
    const { archived } = this;
    return {
      name,
      nodeId: "R_1",
      defaultBranch: "trunk",
      archived,
      cloneUrl: "https://github.com/acme/app.git",
    };
  }
}

export interface TestDeps extends ControlPlaneDeps {
  readonly queue: WakeLog;
  readonly desk: IssueDesk;
}

/** Dependencies over a real store; `yaml` is added to the configuration. */
export function testDeps(
  { store, dataDir }: TestStore,
  yaml = "allowed_owners: [acme]",
  changes: Partial<ControlPlaneDeps> = {},
): TestDeps {
  const desk = new IssueDesk();
  return {
    config: testConfig(`data_dir: ${dataDir}\n${yaml}`),
    store,
    queue: new WakeLog(),
    forge: desk,
    tracker: desk,
    desk,
    webhookSecrets: [SECRET],
    clock: systemClock,
    log: createLog({ level: "silent" }),
    version: "0.0.0",
    dashboardDir: null,
    // The sweeps wait, so that a test sees only what it asked for.
    timing: { dispatch: 50, dueJobs: 3_600_000, openIssues: 3_600_000, tail: 20 },
    ...changes,
  } as TestDeps;
}

export function testConfig(yaml: string): HiveConfig {
  const text = `agent: { type: command, command: ["true"] }\nserver: { port: 0 }\nrepositories: [{ name: acme/app }]\n${yaml}`;
  const parsed = parseConfig(text, { file: "test" });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}

export function sign(body: string | Buffer, secret = SECRET): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** Waits until `probe` gives something else than false, null or undefined; fails after 5 s. */
export async function until<Value>(probe: () => Promise<Value> | Value): Promise<NonNullable<Value>> {
  for (let attempt = 0; attempt < 250; attempt += 1) {
    const value = await probe();
    if (value !== false && value !== null && value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("it never came to be");
}
