/*
 * Who may import whom, and who may touch the process around it. The one place where this is written as data;
 * docs/architecture.md says it in prose. Rows go from the bottom of the graph to the top.
 */

/** Packages of ours that a package may import. `types` may be imported for their types only. */
export interface ImportRow {
  readonly may: readonly string[];
  readonly types?: readonly string[];
  /** The code also runs in a browser, so it imports nothing of Node. */
  readonly browser?: true;
  /** Only tests load it, so it may use the root's development dependencies. */
  readonly devOnly?: true;
}

const ADAPTER: ImportRow = { may: ["domain"] };
const SPAWNING_ADAPTER: ImportRow = { may: ["domain", "exec"] };

const PACKAGES: Readonly<Record<string, ImportRow>> = {
  domain: { may: [] },
  exec: { may: [] },
  log: { may: [] },
  policy: { may: ["domain"] },
  // A dashboard must not carry the state machine along, so contracts see the domain's types only.
  contracts: { may: [], types: ["domain"], browser: true },
  github: ADAPTER,
  linear: ADAPTER,
  store: ADAPTER,
  queue: ADAPTER,
  simgit: SPAWNING_ADAPTER,
  agents: SPAWNING_ADAPTER,
  jail: SPAWNING_ADAPTER,
  gates: { may: ["domain", "policy", "exec"] },
  lifecycle: { may: ["domain", "policy", "contracts"] },
  // A stand-in for the forge, its own process: it knows nothing of the hive.
  "fake-forge": { may: ["exec"] },
  // The agent port lives in agents, beside its one consumer, so its conformance suite needs that type.
  testkit: { may: ["domain", "exec"], types: ["agents"], devOnly: true },
};

const ABOVE_WORKER = new Set(["testkit", "fake-forge"]);

export const IMPORTS: Readonly<Record<string, ImportRow>> = {
  ...PACKAGES,
  "control-plane": {
    may: ["domain", "policy", "contracts", "log", "queue", "store", "github", "linear"],
  },
  // The one place where adapters meet.
  worker: { may: Object.keys(PACKAGES).filter((name) => !ABOVE_WORKER.has(name)) },
  dashboard: { may: ["contracts"], browser: true },
  // `hive up` and the demo put everything into one process; `hive doctor` asks the jail what it can do. Of the dashboard it
  // only names the folder.
  hive: {
    may: [
      "control-plane",
      "worker",
      "dashboard",
      "domain",
      "contracts",
      "log",
      "exec",
      "store",
      "queue",
      "fake-forge",
      "policy",
      "jail",
    ],
  },
};

/** A thing that source files may not touch, except where a reason is given. */
export interface GuardedUse {
  readonly what: string;
  readonly because: string;
  /** Is the file (path from the root) under this guard? */
  readonly where: (path: string) => boolean;
  /** From file to the reason why it may. */
  readonly except: Readonly<Record<string, string>>;
}

const PURE = /^packages\/(domain|policy|lifecycle)\//;
const CLOCK = { "packages/domain/src/ports/clock.ts": "the clock port's own real implementation" };

export const GUARDED: readonly GuardedUse[] = [
  {
    what: "node:child_process",
    because: "packages/exec is the only spawn",
    where: (path) => !path.startsWith("packages/exec/"),
    except: {
      "packages/jail/src/run-init.ts": "first process inside the jail, where nothing but Node is mounted",
    },
  },
  {
    what: "process.env",
    because: "the environment is read once, at the edge",
    where: (path) => !path.startsWith("apps/") && !path.startsWith("packages/exec/"),
    except: {
      "packages/jail/src/run-init.ts": "hands its own environment on to the agent",
      "packages/agents/src/scripted/perform.ts": "part of the scripted agent's own process",
      "packages/agents/src/scripted/shell.ts": "part of the scripted agent's own process",
    },
  },
  ...["Date.now", "new Date()", "Math.random", "randomUUID"].map((what) => ({
    what,
    because: "time and chance come in as arguments here",
    where: (path: string) => PURE.test(path),
    except: CLOCK,
  })),
];

/** Lines of a source file: reported above the first, refused above the second. */
export const LONG_FILE = { report: 300, fail: 400 };
