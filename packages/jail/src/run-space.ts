import { dirname, join } from "node:path";

/** How strongly one run is confined. `none`: only the gates hold. */
export type IsolationKind = "bubblewrap" | "none";

/** Everything one run may see, and where it lies on the host. All paths are absolute and canonical. */
export interface RunSpace {
  readonly isolation: IsolationKind;
  readonly jobId: string;
  /** The bare mirror; visible inside at the same path, with the private view over it. */
  readonly hub: string;
  readonly worktree: string;
  /** Name of the worktree's directory below `<hub>/worktrees`. */
  readonly adminName: string;
  /** The private git view, made by `prepareGitView`. */
  readonly viewDir: string;
  /** Private home directory, kept from run to run. */
  readonly home: string;
  /** The gates' sockets (`git.sock`, `api.sock`); mounted read-only, which still allows connecting. */
  readonly socketsDir: string;
  /** Writable: the agent's structured result. */
  readonly outDir: string;
  /** As in the remote's URL: `owner/name`. */
  readonly repository: string;
  /** Extra directories or files, visible read-only at their own paths. */
  readonly readOnly: readonly string[];
  /** Put first on PATH when given. */
  readonly shimsDir?: string;
  /** Added to the run's environment, which holds nothing else of the host. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits?: RunLimits;
}

export interface RunLimits {
  /** Writable memory per process, in MiB. */
  readonly memoryMb?: number;
  /** Processes of the run, all together. */
  readonly processes?: number;
  /** The run's time limit, in milliseconds. */
  readonly wallMs?: number;
}

/** The parts of a run space that are seen at other paths from inside. */
export interface InsidePaths {
  readonly home: string;
  readonly sockets: string;
  readonly out: string;
  readonly shims: string | null;
  /** Configuration directory of gh, which names the API gate's socket. */
  readonly gh: string;
}

/** Where the run itself finds its directories; differs from the host only in the sandbox. */
export function insidePaths(space: RunSpace): InsidePaths {
  const shims = space.shimsDir ?? null;
  if (space.isolation === "none") {
    return {
      home: space.home,
      sockets: space.socketsDir,
      out: space.outDir,
      shims,
      gh: join(etcDirOf(space), "gh"),
    };
  }
  return {
    home: "/home/agent",
    sockets: "/run/hive/sockets",
    out: "/run/hive/out",
    shims: shims === null ? null : "/run/hive/shims",
    gh: "/run/hive/gh",
  };
}

/** Host directory of the run's own `/etc` files, beside the view. */
export function etcDirOf(space: RunSpace): string {
  return join(dirname(space.viewDir), "etc");
}

/**
 * Host directory with HEAD, index and reflog of the worktree as the run sees them. In the sandbox a private copy:
 * the hub's own registration would otherwise name commits that only the private view has, and every fetch and
 * maintenance of the hub fails on such a HEAD.
 */
export function adminStateOf(space: Pick<RunSpace, "isolation" | "hub" | "adminName" | "viewDir">): string {
  if (space.isolation === "none") return join(space.hub, "worktrees", space.adminName);
  return join(dirname(space.viewDir), "admin");
}

const FIRST_UID = 200_000;
const UIDS = 60_000;

/**
 * The user a job's runs have where the hive is root: stable per job, so that files keep their owner from run to run,
 * and not shared by neighbours except by rare chance, so that process limits count per job.
 */
export function jailUid(jobId: string): number {
  let hash = 0;
  for (const letter of jobId) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % UIDS;
  return FIRST_UID + hash;
}
