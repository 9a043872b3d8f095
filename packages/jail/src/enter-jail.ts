import { dirname, join } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { confine } from "./drop-privileges.ts";
import { gitBinds } from "./git-binds.ts";
import { type HostFacts, hostFacts, nodePrefix } from "./host-facts.ts";
import { etcDirOf, insidePaths, jailUid, type RunSpace } from "./run-space.ts";
import { parentDirs, systemBinds } from "./system-binds.ts";

/** A command line that enters the jail; the environment is complete, nothing is inherited beside it. */
export interface JailEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** What the jail is entered for. */
export type JailPurpose =
  /** An agent: the gates' sockets, the result directory, extra files, shims. */
  | { readonly kind: "agent" }
  /** The hive's own git: nothing but git and, if named, one socket of a gate that `origin` leads to. */
  | { readonly kind: "git"; readonly socket?: string };

/** Fixed inside a network namespace of its own. */
export const JAIL_PORT = 7010;
/** The egress proxy, as far as one is open. */
export const EGRESS_PORT = 3128;
/** Its name among the sockets of a run. */
export const EGRESS_SOCKET = "egress.sock";
const INIT_INSIDE = "/run/hive/run-init.mjs";
const SOCKET_INSIDE = "/run/hive/gate.sock";

/**
 * Builds the command line that runs `command` in the jail of one run. Pure: starts and makes nothing.
 * @throws HiveError JAIL_MOUNT_TOO_WIDE when a read-only path would show the hub or the worktree
 */
export function enterJail(
  space: RunSpace,
  command: readonly string[],
  purpose: JailPurpose = { kind: "agent" },
  host: HostFacts = hostFacts(),
): JailEntry {
  const env = environmentOf(space, host);
  if (space.isolation === "none") {
    const [program = "", ...args] = initCommand(space, command, purpose, host);
    return { command: program, args, env, cwd: space.worktree };
  }
  const inside = insidePaths(space);
  const mounts = [
    ...systemBinds(etcDirOf(space)),
    ...parentDirs([space.hub, space.worktree, inside.home, inside.sockets, ...shownPaths(space, host)]),
    ...readOnlyBinds(space, host),
    ...gitBinds(space),
    "--bind",
    space.home,
    inside.home,
    ...purposeBinds(space, purpose, host),
    "--chdir",
    space.worktree,
  ];
  const inner = initCommand(space, command, purpose, host);
  const limits = purpose.kind === "git" ? {} : (space.limits ?? {});
  const [program = "", ...args] = confine(mounts, inner, {
    uid: host.uid,
    jailUid: jailUid(space.jobId),
    limits,
  });
  return { command: program, args, env, cwd: "/" };
}

/** The init first: it bridges a gate's socket to a port and gives `origin` its address for this run. */
function initCommand(
  space: RunSpace,
  command: readonly string[],
  purpose: JailPurpose,
  host: HostFacts,
): readonly string[] {
  const socket = purpose.kind === "agent" ? join(space.socketsDir, "git.sock") : purpose.socket;
  if (socket === undefined) return command;
  const jailed = space.isolation === "bubblewrap";
  const socketInside =
    purpose.kind === "agent" ? join(insidePaths(space).sockets, "git.sock") : SOCKET_INSIDE;
  return [
    host.node,
    jailed ? INIT_INSIDE : host.initScript,
    "--listen",
    String(jailed ? JAIL_PORT : 0),
    "--git-socket",
    jailed ? socketInside : socket,
    "--repo",
    space.repository,
    ...(purpose.kind === "agent" ? egressOptions(space, jailed) : []),
    "--",
    ...command,
  ];
}

function egressOptions(space: RunSpace, jailed: boolean): string[] {
  const socket = join(insidePaths(space).sockets, EGRESS_SOCKET);
  return ["--egress-listen", String(jailed ? EGRESS_PORT : 0), "--egress-socket", socket];
}

function purposeBinds(space: RunSpace, purpose: JailPurpose, host: HostFacts): string[] {
  const inside = insidePaths(space);
  const init = ["--ro-bind", host.initScript, INIT_INSIDE];
  if (purpose.kind === "git") {
    return purpose.socket === undefined ? [] : [...init, "--ro-bind", purpose.socket, SOCKET_INSIDE];
  }
  const shims =
    space.shimsDir === undefined || inside.shims === null ? [] : ["--ro-bind", space.shimsDir, inside.shims];
  const gh = ["--ro-bind", join(etcDirOf(space), "gh"), inside.gh];
  return [
    ...init,
    ...gh,
    "--ro-bind",
    space.socketsDir,
    inside.sockets,
    "--bind",
    space.outDir,
    inside.out,
    ...shims,
  ];
}

function shownPaths(space: RunSpace, host: HostFacts): readonly string[] {
  return [...nodePrefix(host.node), ...space.readOnly];
}

function readOnlyBinds(space: RunSpace, host: HostFacts): string[] {
  const paths = shownPaths(space, host);
  for (const path of paths) {
    const shown = [space.hub, space.worktree, space.viewDir].find((own) => `${own}/`.startsWith(`${path}/`));
    if (shown === undefined && path !== "/") continue;
    throw new HiveError("JAIL_MOUNT_TOO_WIDE", "invalid", `${path} cannot be shown to a run`, {
      hint: "it holds the data directory; name something narrower",
      context: { path, shown },
    });
  }
  return paths.flatMap((path) => ["--ro-bind", path, path]);
}

function environmentOf(space: RunSpace, host: HostFacts): Record<string, string> {
  const inside = insidePaths(space);
  const given = space.env.PATH ?? `${dirname(host.node)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;
  return {
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    USER: "agent",
    LOGNAME: "agent",
    SHELL: "/bin/bash",
    TMPDIR: "/tmp",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    // The API gate replaces the token; gh only insists on having one. The remote's address does not name the forge.
    GH_CONFIG_DIR: inside.gh,
    GH_TOKEN: "held-by-the-gate",
    GH_REPO: space.repository,
    GH_PROMPT_DISABLED: "1",
    GH_NO_UPDATE_NOTIFIER: "1",
    ...space.env,
    HOME: inside.home,
    PATH: inside.shims === null ? given : `${inside.shims}:${given}`,
    HIVE_JOB: space.jobId,
    HIVE_OUT: inside.out,
  };
}
