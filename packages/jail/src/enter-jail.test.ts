import { describe, expect, it } from "vitest";
import { enterJail, type HostFacts, type RunSpace } from "./index.ts";

const space: RunSpace = {
  isolation: "bubblewrap",
  jobId: "j1",
  hub: "/data/repos/o/r.git",
  worktree: "/data/wt/o/r/j1",
  adminName: "j1",
  viewDir: "/data/jobs/j1/git",
  home: "/data/jobs/j1/home",
  socketsDir: "/data/jobs/j1/sockets",
  outDir: "/data/jobs/j1/out",
  repository: "o/r",
  readOnly: ["/opt/agent"],
  env: { TOKEN: "s3cret" },
};
const host: HostFacts = { uid: 1000, node: "/opt/node20/bin/node", initScript: "/app/run-init.js" };
const words = (entry: { command: string; args: readonly string[] }) =>
  [entry.command, ...entry.args].join(" ");

describe("enterJail", () => {
  it("never puts a value of the environment on the command line", () => {
    const entry = enterJail(space, ["agent"], undefined, host);
    expect(words(entry)).not.toContain("s3cret");
    expect(entry.env.TOKEN).toBe("s3cret");
  });

  it("drops everything for a plain user, and really changes the user for root", () => {
    expect(words(enterJail(space, ["agent"], undefined, host))).toContain(
      "--unshare-user --disable-userns --cap-drop ALL",
    );
    const asRoot = words(enterJail(space, ["agent"], undefined, { ...host, uid: 0 }));
    expect(asRoot).toMatch(/setpriv --reuid=2\d{5} --regid=2\d{5} --clear-groups --bounding-set=-all/);
    expect(asRoot).toContain("--unshare-user --disable-userns");
  });

  it("shows the data directory only by the parts of this job", () => {
    const { args } = enterJail(space, ["agent"], undefined, host);
    const sources = args.flatMap((word, at) => (/^--(ro-)?bind/.test(word) ? [args[at + 1] ?? ""] : []));
    const shown = sources.filter((path) => path.startsWith("/data"));
    for (const path of shown)
      expect(path).toMatch(
        /^\/data\/(repos\/o\/r\.git\/(config|hooks|info|objects|worktrees\/j1)|wt\/o\/r\/j1|jobs\/j1\/)/,
      );
    const writable = args.flatMap((word, at) => (word === "--bind" ? [args[at + 1]] : []));
    expect(writable).toEqual([
      "/data/jobs/j1/git",
      "/data/jobs/j1/admin",
      "/data/wt/o/r/j1",
      "/data/jobs/j1/home",
      "/data/jobs/j1/out",
    ]);
  });

  it("mounts a Node of its own, extra paths, and puts shims first on PATH", () => {
    const entry = enterJail({ ...space, shimsDir: "/app/shims" }, ["agent"], undefined, host);
    expect(words(entry)).toContain("--ro-bind /opt/node20 /opt/node20 --ro-bind /opt/agent /opt/agent");
    expect(entry.env.PATH).toBe(
      "/run/hive/shims:/opt/node20/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    );
  });

  it.each(["/", "/data", "/data/repos", "/data/wt/o/r/j1"])("refuses to show %s", (path) => {
    const wide = { ...space, readOnly: [path] };
    expect(() => enterJail(wide, ["agent"], undefined, host)).toThrow(
      expect.objectContaining({ code: "JAIL_MOUNT_TOO_WIDE" }),
    );
  });

  it("lets the job's user reach a Node that lies below a directory of root's own", () => {
    const below = { ...host, node: "/root/.nvm/node24/bin/node" };

    expect(words(enterJail(space, ["agent"], undefined, below))).toContain(
      "--perms 0755 --dir /root --perms 0755",
    );
  });

  it("without a sandbox runs the same init on a free port", () => {
    const entry = enterJail({ ...space, isolation: "none" }, ["agent", "-x"], undefined, host);
    expect(words(entry)).toBe(
      "/opt/node20/bin/node /app/run-init.js --listen 0 --git-socket /data/jobs/j1/sockets/git.sock --repo o/r --egress-listen 0 --egress-socket /data/jobs/j1/sockets/egress.sock -- agent -x",
    );
    expect(entry.cwd).toBe(space.worktree);
    expect(entry.env.HOME).toBe(space.home);
  });
});
