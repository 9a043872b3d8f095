import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Hub } from "./hub.ts";
import { localGit, refTip, setConfig } from "./local-git.ts";

/** The bare repository that one job's `origin` is. It shows two branches: the base and the job's own. */
export interface GateRepository {
  readonly dir: string;
  /** Brings both refs to what the forge has now. Throws like `Hub.fetch`. */
  refresh(): Promise<void>;
}

export interface GateBranches {
  readonly branch: string;
  readonly baseBranch: string;
}

const CONFIG: readonly (readonly [string, string])[] = [
  ["http.receivepack", "true"],
  ["receive.fsckObjects", "true"],
  ["receive.advertisePushOptions", "true"],
  ["receive.autogc", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  // Without this, receive-pack would list every object id that any ref of the hub names.
  ["core.alternateRefsCommand", "true"],
];

/** Makes or repairs the gate repository of a job over the hub's objects. */
export async function openGateRepository(
  dir: string,
  hub: Hub,
  branches: GateBranches,
): Promise<GateRepository> {
  await mkdir(dir, { recursive: true });
  await localGit(dir, ["init", "--quiet", "--bare", "--initial-branch=main", "--template=", dir], {
    anywhere: true,
  });
  for (const [key, value] of CONFIG) await setConfig(dir, key, value);
  await mkdir(join(dir, "objects", "info"), { recursive: true });
  await writeFile(join(dir, "objects", "info", "alternates"), `${join(hub.dir, "objects")}\n`);
  await localGit(dir, ["symbolic-ref", "HEAD", `refs/heads/${branches.baseBranch}`]);
  return { dir, refresh: () => refresh(dir, hub, branches) };
}

async function refresh(dir: string, hub: Hub, { branch, baseBranch }: GateBranches): Promise<void> {
  await hub.fetch();
  const wanted = new Map<string, string>();
  for (const name of new Set([baseBranch, branch])) {
    const tip = await hub.tip(name);
    if (tip !== null) wanted.set(`refs/heads/${name}`, tip);
  }
  const present = (await localGit(dir, ["for-each-ref", "--format=%(refname)"])).split("\n");
  const gone = present.filter((ref) => ref !== "" && !wanted.has(ref));
  const commands = [
    ...gone.map((ref) => `delete ${ref}`),
    ...[...wanted].map(([ref, sha]) => `update ${ref} ${sha}`),
  ];
  if (commands.length === 0) return;
  await localGit(dir, ["update-ref", "--stdin"], { input: `${commands.join("\n")}\n` });
}

/** Copies the job's branch from the gate to the hub, after the forge was seen to have it. */
export async function adoptPushed(gate: GateRepository, hub: Hub, branch: string): Promise<void> {
  const pushed = await refTip(gate.dir, `refs/heads/${branch}`);
  if (pushed === null) return;
  const refspec = `+refs/heads/${branch}:refs/remotes/origin/${branch}`;
  const flags = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc"];
  await hub.locked(() => localGit(hub.dir, ["fetch", ...flags, gate.dir, refspec]).then(() => undefined));
}
