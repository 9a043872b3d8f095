import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { staticCredentials } from "./credentials.ts";
import { type Hub, openHub } from "./hub.ts";
import { sh, startUpstream, TOKEN, type Upstream } from "./testing/upstream.ts";

const repository = { owner: "acme", name: "app" };
let root: string;
let upstream: Upstream;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "hive-hub-"));
  upstream = await startUpstream();
});
afterEach(async () => {
  await upstream.close();
  await rm(root, { recursive: true, force: true });
});

function open(token = TOKEN, url = upstream.url): Promise<Hub> {
  return openHub({ dir: join(root, "app.git"), repository, url, credentials: staticCredentials(token) });
}

describe("a hub", () => {
  it("mirrors branches below refs/remotes/origin, and prunes those that are gone", async () => {
    const hub = await open();
    await sh(upstream.human, ["push", "-q", "origin", "main:topic"]);
    await hub.fetch();
    const main = await upstream.tip("main");
    expect([await hub.tip("main"), await hub.tip("topic"), await hub.remoteTip("main")]).toEqual([
      main,
      main,
      main,
    ]);
    await sh(upstream.human, ["push", "-q", "origin", "--delete", "topic"]);
    await hub.fetch();
    expect([await hub.tip("topic"), await hub.remoteTip("topic")]).toEqual([null, null]);
  });

  it("is repaired by opening it again", async () => {
    await (await open()).fetch();
    const dir = join(root, "app.git");
    await rm(join(dir, "HEAD"));
    await sh(root, [
      "config",
      "--file",
      join(dir, "config"),
      "remote.origin.url",
      "http://127.0.0.1:9/x.git",
    ]);
    const hub = await open();
    await hub.fetch();
    expect(await hub.tip("main")).toBe(await upstream.tip("main"));
  });

  it("lets several fetch at once, and takes over the lock of a dead process", async () => {
    const hub = await open();
    await writeFile(join(root, "app.git.lock"), "999999 1\n");
    await Promise.all([hub.fetch(), hub.fetch(), hub.fetch()]);
    expect(await hub.tip("main")).toBe(await upstream.tip("main"));
  });

  it("S46 keeps the token out of its files and its errors", async () => {
    const wrong = `${TOKEN}wrong`;
    const hub = await open(wrong);
    const error = await hub.fetch().catch((it: unknown) => it);
    expect(error).toMatchObject({ code: "HUB_AUTH", kind: "denied" });
    expect(JSON.stringify(error)).not.toContain(wrong);
    expect(await readFile(join(hub.dir, "config"), "utf8")).not.toContain(wrong);
    await expect(open(TOKEN, upstream.url.replace("//", `//x:${TOKEN}@`))).rejects.toMatchObject({
      code: "HUB_URL_CREDENTIAL",
    });
  });

  it("S46 does not send the token to another host that the forge redirects to", async () => {
    const other = await startUpstream();
    try {
      const { createServer } = await import("node:http");
      const seen: (string | undefined)[] = [];
      const thief = createServer((request, response) => {
        seen.push(request.headers.authorization);
        response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
      });
      await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
      const { port } = thief.address() as { port: number };
      const front = createServer((request, response) => {
        response.writeHead(302, { location: `http://127.0.0.1:${port}${request.url}` }).end();
      });
      await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
      const hub = await open(TOKEN, `http://127.0.0.1:${(front.address() as { port: number }).port}/app.git`);
      await expect(hub.fetch()).rejects.toMatchObject({ kind: expect.stringMatching(/denied|retryable/) });
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.filter((it) => it !== undefined)).toEqual([]);
      front.close();
      thief.close();
    } finally {
      await other.close();
    }
  });

  it("tells an unreachable forge from an empty repository", async () => {
    const hub = await open();
    upstream.outage = 503;
    await expect(hub.fetch()).rejects.toMatchObject({ code: "HUB_UNREACHABLE", kind: "retryable" });
    await expect(hub.remoteTip("main")).rejects.toMatchObject({ code: "HUB_UNREACHABLE" });
    const empty = await startUpstream({ empty: true });
    try {
      const options = {
        dir: join(root, "e.git"),
        repository,
        url: empty.url,
        credentials: staticCredentials(TOKEN),
      };
      const error = (await openHub(options)).fetch();
      await expect(error).rejects.toMatchObject({ code: "REPOSITORY_EMPTY", kind: "invalid" });
    } finally {
      await empty.close();
    }
  });

  it("S18 marks the commits of a run through its hook, once, and no others", async () => {
    const hub = await open();
    const { human } = upstream;
    const env = { HIVE_CYCLE: "job-7/2", HIVE_AGENT: "claude" };
    await sh(human, ["config", "core.hooksPath", join(hub.dir, "hooks")]);
    await sh(human, ["commit", "-q", "--allow-empty", "-m", "Mend it"], env);
    await sh(human, ["commit", "-q", "--amend", "--allow-empty", "--no-edit"], {
      ...env,
      HIVE_CYCLE: "job-7/3",
    });
    expect(await sh(human, ["log", "-1", "--format=%B"])).toBe(
      "Mend it\n\nHive-Cycle: job-7/2\nHive-Agent: claude",
    );
    await sh(human, ["commit", "-q", "--allow-empty", "-m", "By hand"]);
    expect(await sh(human, ["log", "-1", "--format=%B"])).toBe("By hand");
  });
});
