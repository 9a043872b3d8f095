import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { SHARED_OBJECTS } from "./git-binds.ts";
import { adminStateOf } from "./run-space.ts";

export interface GitViewRequest {
  readonly hub: string;
  readonly adminName: string;
  /** Where the view is made. */
  readonly viewDir: string;
  /** What the run sees at first: full ref names and object ids that the hub has. */
  readonly refs: Readonly<Record<string, string>>;
  /** Full name of the branch the worktree is on. */
  readonly head: string;
}

/**
 * Makes the private git view of a job: own refs, logs and objects, empty places for what is mounted over them, and
 * beside it the private copy of the worktree's administrative directory.
 * An existing view is left exactly as it is, because a run may write there and the host must not follow its links;
 * newer refs enter through git inside the jail (`updateViewRefs`).
 * @throws HiveError JAIL_REF_INVALID, JAIL_HUB_INCOMPLETE
 */
export function prepareGitView(request: GitViewRequest): void {
  const { hub, viewDir } = request;
  prepareHub(request);
  copyAdmin(request);
  if (existsSync(viewDir)) return;
  const draft = `${viewDir}.new-${randomUUID()}`;
  for (const directory of directories(request.adminName)) {
    mkdirSync(join(draft, directory), { recursive: true });
  }
  writeFileSync(join(draft, "config"), "");
  // Absolute and only true inside, where the hub's real objects are mounted under this name.
  writeFileSync(join(draft, "objects/info/alternates"), `${join(hub, SHARED_OBJECTS)}\n`);
  writeFileSync(join(draft, "HEAD"), `ref: ${checkedRef(request.head)}\n`);
  writeFileSync(join(draft, "packed-refs"), packedRefs(request.refs));
  mkdirSync(dirname(viewDir), { recursive: true });
  try {
    renameSync(draft, viewDir);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(viewDir)) throw error; // otherwise another process was first
  }
}

/** The run's own HEAD, index and reflog, as they were when the worktree was made. */
function copyAdmin({ hub, adminName, viewDir }: GitViewRequest): void {
  const target = adminStateOf({ isolation: "bubblewrap", hub, adminName, viewDir });
  if (existsSync(target)) return;
  const draft = `${target}.new-${randomUUID()}`;
  cpSync(join(hub, "worktrees", adminName), draft, { recursive: true });
  renameSync(draft, target);
}

function directories(adminName: string): string[] {
  return [
    "refs/heads",
    "refs/tags",
    "logs",
    "objects/info",
    "objects/pack",
    SHARED_OBJECTS,
    "hooks",
    "info",
    `worktrees/${adminName}`,
  ];
}

/** The hub's parts that are mounted read-only must exist; git leaves them out where there is no template. */
function prepareHub({ hub, adminName }: GitViewRequest): void {
  for (const name of ["hooks", "info"]) mkdirSync(join(hub, name), { recursive: true });
  const missing = ["config", "objects", `worktrees/${adminName}`].find(
    (name) => !existsSync(join(hub, name)),
  );
  if (missing === undefined) return;
  throw new HiveError("JAIL_HUB_INCOMPLETE", "conflict", `${join(hub, missing)} does not exist`, {
    hint: "allocate the worktree first",
    context: { hub, found: existsSync(hub) ? readdirSync(hub) : [] },
  });
}

function packedRefs(refs: Readonly<Record<string, string>>): string {
  const lines = Object.entries(refs)
    .map(([name, oid]) => {
      if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(oid)) throw invalidRef(`${name} ${oid}`);
      return `${oid} ${checkedRef(name)}`;
    })
    .sort((a, b) => (a.slice(41) < b.slice(41) ? -1 : 1));
  return `# pack-refs with: sorted \n${lines.join("\n")}${lines.length > 0 ? "\n" : ""}`;
}

function checkedRef(name: string): string {
  const bad = !name.startsWith("refs/") || /[\s~^:?*[\\\x7f]|\.\.|\/\/|@\{|\.lock(\/|$)|\/$/.test(name);
  if (bad) throw invalidRef(name);
  return name;
}

function invalidRef(name: string): HiveError {
  return new HiveError("JAIL_REF_INVALID", "invalid", `"${name}" is not a ref with an object id`, {
    hint: "pass full ref names and full object ids",
    context: { name },
  });
}
