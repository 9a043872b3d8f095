import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  detectIsolation,
  EGRESS_SOCKET,
  type EgressProxy,
  type EgressVerdict,
  prepareGitView,
  type RunSpace,
  startEgressProxy,
  startInJail,
} from "./index.ts";
import { needIsolation } from "./testing/need-isolation.ts";

const isolation = await detectIsolation();

describe.each(["bubblewrap", "none"] as const)("egress of a run with isolation %s", (kind) => {
  if (kind === "bubblewrap") beforeAll(() => needIsolation(isolation));

  let top: string;
  let space: RunSpace;
  let services: Server[];
  let ports: number[];
  let proxy: EgressProxy | undefined;
  const denied: EgressVerdict[] = [];

  const serve = async (text: string, listenOn: number | string = 0): Promise<Server> => {
    const server = createServer((request, response) =>
      response.end(`${text} ${request.method} ${request.url}`),
    );
    await new Promise<void>((resolve) =>
      typeof listenOn === "string"
        ? server.listen(listenOn, resolve)
        : server.listen(listenOn, "127.0.0.1", resolve),
    );
    return server;
  };

  beforeAll(async () => {
    top = realpathSync(mkdtempSync(join(tmpdir(), "hive-egress-")));
    const hub = join(top, "repos/o/r.git");
    const worktree = join(top, "worktrees/job-1");
    mkdirSync(join(top, "repos/o"), { recursive: true });
    const script = `git init -q -b main seed; cd seed; git config user.name s; git config user.email s@x
      echo one > a; git add -A; git commit -qm one; git clone -q --bare . ${hub}
      cd ${hub}; git worktree add -q -b hive/job-1/x ${worktree} main; git rev-parse main`;
    const made = await run("bash", ["-ec", script], { cwd: top });
    const base = made.stdout.toString().trim();
    space = {
      isolation: kind,
      jobId: "job-1",
      hub,
      worktree,
      adminName: "job-1",
      viewDir: join(top, "jobs/job-1/git"),
      home: join(top, "jobs/job-1/home"),
      socketsDir: join(top, "jobs/job-1/sockets"),
      outDir: join(top, "jobs/job-1/out"),
      repository: "o/r",
      readOnly: [],
      env: {},
    };
    const head = "refs/heads/hive/job-1/x";
    prepareGitView({ hub, adminName: "job-1", viewDir: space.viewDir, refs: { [head]: base }, head });
    mkdirSync(space.socketsDir, { recursive: true });
    services = [
      await serve("listed"),
      await serve("unlisted"),
      await serve("gate", join(space.socketsDir, "git.sock")),
    ];
    ports = services.slice(0, 2).map((server) => (server.address() as AddressInfo).port);
    proxy = await startEgressProxy({
      socketPath: join(space.socketsDir, EGRESS_SOCKET),
      allow: [`127.0.0.1:${ports[0]}`],
      onVerdict: (verdict) => {
        if (verdict.decision === "deny") denied.push(verdict);
      },
    });
  });
  afterAll(async () => {
    await proxy?.close();
    for (const service of services) service.close();
    rmSync(top, { recursive: true, force: true });
  });

  const inside = async (script: string): Promise<{ out: string; exitCode: number | null }> => {
    const child = await startInJail(space, ["bash", "-c", script]);
    const parts: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => parts.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => parts.push(chunk));
    child.stdin.end();
    const { exitCode } = await child.done;
    return { exitCode, out: Buffer.concat(parts).toString().trim() };
  };

  it("curl reaches a listed host, plainly and through a tunnel", async () => {
    const { out } = await inside(
      `curl -sS http://127.0.0.1:${ports[0]}/a; echo; curl -sS -p http://127.0.0.1:${ports[0]}/b`,
    );
    expect(out).toBe("listed GET /a\nlisted GET /b");
  });

  it("Node reaches a listed host through the proxy that its environment names", async () => {
    const script = `
      const { request } = require("node:http");
      const proxy = new URL(process.env.HTTP_PROXY);
      const path = "http://127.0.0.1:${ports[0]}/node";
      request({ host: proxy.hostname, port: proxy.port, path }, (r) => r.pipe(process.stdout)).end();`;
    expect((await inside(`node -e '${script}'`)).out).toBe("listed GET /node");
  });

  it("WH-031 an unlisted host is refused, also on the host's own loopback", async () => {
    denied.length = 0;
    const { out } = await inside(`
      curl -sS -w ' %{http_code}' http://127.0.0.1:${ports[1]}/; echo
      curl -sS https://example.com/ -o /dev/null; true`);
    expect(out).toMatch(/^hive: denied egress\.host: 127\.0\.0\.1:\d+ is not among .*\n 403$/m);
    expect(out).toMatch(/CONNECT tunnel failed, response 403/);
    expect(denied.map(({ subject }) => subject)).toEqual([
      `GET 127.0.0.1:${ports[1]}`,
      "CONNECT example.com:443",
    ]);
  });

  // Without a sandbox a program that ignores the proxy variables reaches what it likes; the gates still hold.
  const jailed = kind === "bubblewrap" ? it : () => undefined;
  jailed("there is no way past the proxy", async () => {
    const { out } = await inside(`
      for port in ${ports.join(" ")}; do curl -sS --noproxy '*' -m 3 http://127.0.0.1:$port/ && echo OPEN; done
      (exec 3<>/dev/tcp/192.0.2.1/80) && echo OPEN
      getent hosts example.com && echo OPEN
      ls /sys/class/net 2>/dev/null; grep -c . /proc/net/route; true`);
    expect(out).not.toContain("OPEN");
    expect(out.match(/Failed to connect|refused/gi)?.length).toBeGreaterThanOrEqual(2);
  });

  it("git to the gate and gh to its socket stay direct", async () => {
    denied.length = 0;
    const api = await serve('{"full_name":"o/r"}', join(space.socketsDir, "api.sock"));
    const { out } = await inside(
      "env | grep -i no_proxy; curl -s --noproxy '*' $(git remote get-url origin)/x; echo; git ls-remote origin; gh api repos/o/r",
    );
    api.close();
    expect(out).toContain("gate GET /o/r.git/x");
    expect(out).toContain("full_name");
    expect(out).not.toContain("egress.host");
    expect(denied).toEqual([]);
  });
});

describe("a run without an egress proxy", () => {
  it("is offered none", async () => {
    const init = join(import.meta.dirname, "../dist/run-init.js");
    const args = [
      "--listen",
      "0",
      "--git-socket",
      "/nonexistent",
      "--repo",
      "o/r",
      "--egress-socket",
      "/nonexistent",
    ];
    const result = await run(process.execPath, [init, ...args, "--", "env"], { cwd: "/" });
    expect(result.stdout.toString()).not.toMatch(/proxy=/i);
  });
});
