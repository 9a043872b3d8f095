import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeForge } from "@worktree-hive/fake-forge";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doorsTriedByHive, OWNER, operator, REPOSITORY, startForge } from "./harness/forge.ts";
import { type Hive, prepareHive } from "./harness/hive.ts";
import { hostile } from "./harness/hostile.ts";
import { filesWith, type ProcessSight, watchProcesses } from "./harness/leaks.ts";
import { startStores } from "./harness/stores.ts";
import { upstreamRefs } from "./harness/upstream.ts";

const TOKEN = `ghs_${randomBytes(18).toString("hex")}`;
/** The token in two halves: what a run searches for must not itself be what is found in its transcript. */
const HALVES = `t=${TOKEN.slice(0, 20)}; t="$t"${TOKEN.slice(20)}; echo "$t" >/tmp/wanted`;
/** Ends up beside the data directory if anything that a run planted is ever executed by the host. */
const PLANTED = "planted-was-executed";

let directory: string;
/** Outside of what is searched: a forge knows its tokens. */
let forgeData: string;
let forge: FakeForge;
let hive: Hive;
let sight: ProcessSight;
let main: string;

/** What a run tries against its host; findings go to its home, which outlives it. */
function attacks(): string[] {
  const data = join(directory, "data");
  const plant = `#!/bin/sh\ntouch ${join(directory, PLANTED)}\n`;
  return [
    `${HALVES}; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -cf /tmp/wanted >~/in-processes`,
    `${HALVES}; grep -rlsaf /tmp/wanted ${directory} /run /etc /home >~/in-files`,
    `find ${directory} >~/visible 2>/dev/null`,
    `cat ${directory}/hive.yaml ${directory}/up.log ${data}/store/pgdata/PG_VERSION >~/read 2>/dev/null`,
    `d=$(git rev-parse --git-common-dir); for h in pre-push pre-receive post-checkout reference-transaction; do
       printf '${plant}' >$d/hooks/$h; chmod +x $d/hooks/$h; done`,
    `for k in core.hooksPath core.fsmonitor core.sshCommand core.pager; do git config $k ${directory}/evil; done`,
    `printf '${plant}' >evil.sh; chmod +x evil.sh; git config filter.evil.clean ./evil.sh; git config filter.evil.smudge ./evil.sh`,
    `rm -f evil.sh; echo 'gitdir: /tmp/evil' >.git`,
    `ln -sf ${data}/store stolen && cat stolen/pgdata/PG_VERSION >>~/read; rm -f stolen`,
    `curl -sS -m 3 --noproxy '*' ${forge.url}/_forge/doors >~/network 2>/dev/null`,
    `curl -sS -m 3 --noproxy '*' ${hive.url}/api/jobs >>~/network 2>/dev/null`,
    `curl -sS -m 3 ${forge.url}/_forge/doors 2>/dev/null | grep doors >>~/network`,
    "gh pr merge 2 --merge",
    `curl -sS -m 3 --unix-socket /run/hive/sockets/api.sock -X PUT http://forge/repos/${OWNER}/${REPOSITORY}/pulls/2/merge`,
    `curl -sS -m 3 --unix-socket /run/hive/sockets/api.sock -X PATCH -d '{"sha":"'$(git rev-parse HEAD)'","force":true}' http://forge/repos/${OWNER}/${REPOSITORY}/git/refs/heads/main`,
  ];
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "hive-hostile-"));
  forgeData = await mkdtemp(join(tmpdir(), "hive-hostile-forge-"));
  forge = await startForge(forgeData, [], { hiveToken: TOKEN });
  main = (await upstreamRefs(forgeData))["refs/heads/main"] ?? "";
  hive = await prepareHive({
    directory,
    forgeUrl: forge.url,
    stores: await startStores("embedded"),
    script: {},
    holdAt: "gate.authorized",
    token: TOKEN,
  });
  // The attacks name the hive's own address, which is known only now.
  await writeFile(join(directory, "script.json"), JSON.stringify({ runs: hostile(1, attacks()) }));
  sight = watchProcesses(TOKEN, () => hive.pids());
  await hive.start("up");
  await operator(forge.url).connectWebhook(hive.url);
  await operator(forge.url).fileIssue("Attack");
}, 120_000);

afterAll(async () => {
  sight?.stop();
  await hive?.stopAll();
  await forge?.close();
  for (const made of [directory, forgeData]) await rm(made, { recursive: true, force: true });
});

/** What the attacks left in the home of the run. */
const found = async (file: string): Promise<string> => {
  const [job] = await hive.jobs();
  return (await readFile(join(directory, "data/jobs", job?.id ?? "", "home", file), "utf8")).trim();
};

describe("a hostile run in the jail", () => {
  it("S46 the token is in no file, argument or environment while a push is held", async () => {
    await hive.held("gate.authorized");

    // The search finds what is there.
    expect(filesWith("e2e-host", directory)).toContain(join(directory, "hive.yaml"));
    expect(filesWith(TOKEN, directory)).toEqual([]);
    expect([...sight.leaks]).toEqual([]);
  }, 120_000);

  it("finds neither the token nor the data directory, and reaches nothing by network", async () => {
    const visible = (await found("visible")).split("\n");
    const data = join(directory, "data");

    expect(await found("in-processes")).toBe("0");
    expect(await found("in-files")).toBe("");
    expect(await found("read")).toBe("");
    expect(await found("network")).toBe("");
    expect(visible).toContain(join(data, "repos", OWNER, `${REPOSITORY}.git`));
    for (const hidden of ["store", "transcripts", "jobs"]) {
      expect(visible.filter((path) => path.startsWith(join(data, hidden)))).toEqual([]);
    }
    const log = (await (await fetch(`${forge.url}/_forge/log`)).json()) as {
      requests: { userAgent: string }[];
    };
    expect(log.requests.filter(({ userAgent }) => userAgent?.startsWith("curl"))).toEqual([]);
  });

  it("plants nothing that the host would execute", async () => {
    const hub = join(directory, "data/repos", OWNER, `${REPOSITORY}.git`);
    const config = await readFile(join(hub, "config"), "utf8");
    const worktree = (await hive.job((await hive.jobs())[0]?.id ?? "")).worktree ?? "";

    expect(await readdir(join(hub, "hooks"))).toEqual(["prepare-commit-msg"]);
    expect(config).not.toMatch(/evil/);
    expect(await readFile(join(worktree, ".git"), "utf8")).toContain(hub);
    expect(existsSync(join(directory, PLANTED))).toBe(false);
  });

  it("S40 still ends with its one fix; main, other branches and the pull request are untouched", async () => {
    await hive.release("gate.authorized");
    const job = await hive.inState(1, "ready", 90_000);
    const refs = await upstreamRefs(forgeData);

    expect(Object.keys(refs).sort()).toEqual([`refs/heads/${job.branch}`, "refs/heads/main"].sort());
    expect(refs["refs/heads/main"]).toBe(main);
    expect(job.fixesUsed).toBe(1);
    expect(await operator(forge.url).commits(job.pull?.number ?? 0)).toHaveLength(2);
    expect(await doorsTriedByHive(forge.url)).toEqual([]);
  }, 120_000);

  it("S46 the token was nowhere to be seen during the whole journey, not even in the push that used it", async () => {
    const [job] = await hive.jobs();
    await operator(forge.url).merge(job?.pull?.number ?? 0);
    await hive.inState(1, "done");
    const commands = [...sight.commands].join("\n");

    expect(commands).toMatch(/git\b.* push --porcelain/);
    expect([...sight.leaks]).toEqual([]);
    expect(filesWith(TOKEN, directory)).toEqual([]);
    expect(existsSync(join(directory, PLANTED))).toBe(false);
  }, 120_000);
});
