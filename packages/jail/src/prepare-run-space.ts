import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { run } from "@worktree-hive/exec";
import { SHARED_OBJECTS } from "./git-binds.ts";
import { adminStateOf, etcDirOf, insidePaths, jailUid, type RunSpace } from "./run-space.ts";

/**
 * Makes what a run space needs on the host, idempotently: home, result directory, its own `/etc` files; and where the
 * hive is root, gives everything the run may write to the job's user. Call it before each run, while none runs.
 * @throws HiveError JAIL_CHOWN_FAILED, JAIL_VIEW_TAMPERED, JAIL_ISOLATION_CHANGED
 */
export async function prepareRunSpace(space: RunSpace): Promise<void> {
  for (const directory of [space.home, space.outDir, space.socketsDir]) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }
  pointToState(space);
  writeEtc(space);
  if (space.isolation === "none") return;
  assertUntouched(space);
  if (process.getuid?.() !== 0) return;
  const uid = jailUid(space.jobId);
  for (const path of [space.worktree, adminStateOf(space), space.viewDir, space.home, space.outDir])
    await give(path, uid);
  const names = readdirSync(space.socketsDir).map((name) => join(space.socketsDir, name));
  await giveSockets(space, [space.socketsDir, ...names]);
}

/** Connecting to a socket needs write permission on it; the read-only mount keeps it from being replaced. */
export async function giveSockets(space: RunSpace, paths: readonly string[]): Promise<void> {
  if (space.isolation === "none" || process.getuid?.() !== 0) return;
  // Gates make their sockets anew at each start, so this is repeated.
  await chown(paths, jailUid(space.jobId));
}

/** The name by which simgit finds the state; the registration on the host is out of reach of runs. */
const STATE_FILE = "simgit-state";

/**
 * Records where the state of the worktree is from the first run on. It differs between the kinds of isolation, so a
 * job stays with the kind it began with: the other kind would not see its work.
 */
function pointToState(space: RunSpace): void {
  const file = join(space.hub, "worktrees", space.adminName, STATE_FILE);
  const state = adminStateOf(space);
  const recorded = existsSync(file) ? readFileSync(file, "utf8").trim() : null;
  if (recorded === null) writeFileSync(file, `${state}\n`);
  else if (recorded !== state) {
    throw new HiveError(
      "JAIL_ISOLATION_CHANGED",
      "denied",
      `Job ${space.jobId} began with another isolation`,
      {
        hint: "let it end under the isolation it began with",
        context: { recorded, state },
      },
    );
  }
}

/**
 * A run can rename directories of its view and leave links in their place; the next mount would follow them, as root.
 * Nobody runs now, so looking is enough.
 */
function assertUntouched(space: RunSpace): void {
  const view = [
    "objects",
    "objects/info",
    SHARED_OBJECTS,
    "hooks",
    "info",
    "worktrees",
    `worktrees/${space.adminName}`,
  ];
  const state = adminStateOf(space);
  const directories = [
    space.worktree,
    space.viewDir,
    state,
    space.home,
    space.outDir,
    space.socketsDir,
  ].concat(view.map((name) => join(space.viewDir, name)));
  const files = [
    join(space.viewDir, "config"),
    join(space.viewDir, "objects/info/alternates"),
    join(state, "gitdir"),
    join(state, "commondir"),
    join(space.worktree, ".git"),
  ];
  const look = (path: string) => lstatSync(path, { throwIfNoEntry: false });
  const odd =
    directories.find((path) => look(path)?.isDirectory() !== true) ??
    files.find((path) => look(path)?.isFile() !== true);
  if (odd === undefined) return;
  throw new HiveError("JAIL_VIEW_TAMPERED", "denied", `${odd} is not what the hive made there`, {
    hint: "look at the job's directory by hand; its work is still there",
    context: { path: odd },
  });
}

function writeEtc(space: RunSpace): void {
  const directory = etcDirOf(space);
  mkdirSync(join(directory, "gh"), { recursive: true });
  const uid = process.getuid?.() === 0 ? jailUid(space.jobId) : (process.getuid?.() ?? 0);
  const files = {
    passwd: `root:x:0:0:root:/:/usr/sbin/nologin\nagent:x:${uid}:${uid}:agent:/home/agent:/bin/bash\n`,
    group: `root:x:0:\nagent:x:${uid}:\n`,
    hosts: "127.0.0.1 localhost hive\n",
    // gh then speaks plain HTTP to the API gate; the version keeps newer ones from rewriting the file.
    "gh/config.yml": `version: "1"\nhttp_unix_socket: ${insidePaths(space).sockets}/api.sock\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    if (!existsSync(path)) writeFileSync(path, text, { mode: 0o644 });
  }
}

/** Links are not followed, and a tree that is the job's already is not walked again. */
async function give(path: string, uid: number): Promise<void> {
  if (lstatSync(path).uid === uid) return;
  // The top comes last: a crash half-way is noticed by the next call.
  const inside = ["-mindepth", "1", "-exec", "chown", "-h", `${uid}:${uid}`, "--", "{}", "+"];
  const result = await run("find", ["-P", path, "-xdev", ...inside], { cwd: "/" });
  if (result.exitCode !== 0) throw chownFailed(path, result.stderr.toString());
  await chown([path], uid);
}

async function chown(paths: readonly string[], uid: number): Promise<void> {
  const result = await run("chown", ["-h", `${uid}:${uid}`, "--", ...paths], { cwd: "/" });
  if (result.exitCode !== 0) throw chownFailed(paths.join(" "), result.stderr.toString());
}

function chownFailed(path: string, detail: string): HiveError {
  return new HiveError("JAIL_CHOWN_FAILED", "retryable", `${path} could not be given to the job's user`, {
    hint: "see the detail",
    context: { path, detail },
  });
}
