import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ExecError, git, processAlive, run, start, startTimeOf } from "./index.ts";

let cwd: string;
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "hive-exec-")));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const sh = (script: string, options: Partial<Parameters<typeof run>[2]> = {}) =>
  run("sh", ["-c", script], { cwd, ...options });

describe("run", () => {
  it("WH-161 returns output, error output and a non-zero exit code as data", async () => {
    const result = await sh("echo out; echo err >&2; exit 7");
    expect(result).toMatchObject({ exitCode: 7, signal: null, timedOut: false, truncated: false });
    expect([result.stdout.toString(), result.stderr.toString()]).toEqual(["out\n", "err\n"]);
    expect(result.pid).toBeGreaterThan(1);
  });

  it("WH-161 keeps the first MiB of a stream and says that there was more", async () => {
    const result = await sh("head -c 3000000 /dev/zero; echo end >&2");
    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect(result.stdout.length).toBe(1024 * 1024);
    expect(result.stderr.toString()).toBe("end\n");
  });

  it("WH-161 keeps the last bytes when asked to", async () => {
    const result = await sh("seq 1 100000", { maxBytes: 7, keep: "last" });
    expect(result.stdout.toString()).toBe("100000\n");
    expect(result.truncated).toBe(true);
  });

  it("does not call an output of exactly the limit truncated", async () => {
    expect((await sh("printf 1234", { maxBytes: 4 })).truncated).toBe(false);
    expect((await sh("printf 1234", { maxBytes: 4, keep: "last" })).truncated).toBe(false);
  });

  it("gives input as bytes and closes it", async () => {
    const result = await run("cat", [], { cwd, input: Buffer.from([0, 255, 10]) });
    expect([...result.stdout]).toEqual([0, 255, 10]);
  });

  it("survives a command that never reads its large input", async () => {
    expect((await run("true", [], { cwd, input: Buffer.alloc(5_000_000) })).exitCode).toBe(0);
  });

  it("passes a secret through an extra descriptor, not through argv or environment", async () => {
    const result = await sh("cat <&4; cat /proc/$$/environ /proc/$$/cmdline | grep -c 's3[c]ret'", {
      stdio: [{ fd: 4, input: "s3cret" }],
    });
    expect(result.stdout.toString()).toBe("s3cret0\n");
  });

  it("throws coded errors only for a missing command or directory", async () => {
    await expect(run("no-such-program-x", [], { cwd })).rejects.toMatchObject({ code: "COMMAND_NOT_FOUND" });
    await expect(run("true", [], { cwd: join(cwd, "gone") })).rejects.toMatchObject({ code: "CWD_MISSING" });
    await expect(run("true", [], { cwd: join(cwd, "gone") })).rejects.toBeInstanceOf(ExecError);
  });

  it("WH-161 reports a program that the system refuses to start", async () => {
    const result = await run("echo", ["x".repeat(3_000_000)], { cwd });
    expect(result).toMatchObject({ exitCode: null, pid: null, spawnError: { code: "E2BIG" } });
  });

  it("WH-163 one failing command leaves its siblings alone", async () => {
    const results = await Promise.all([sh("sleep 0.3; echo a"), sh("exit 1"), sh("sleep 0.3; echo c")]);
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 1, 0]);
  });
});

describe("environment", () => {
  it("AS-065 nothing of GIT_* and nothing unknown of the parent reaches the child", async () => {
    process.env.GIT_DIR = "/nowhere";
    process.env.HIVE_TEST_SECRET = "x";
    try {
      const text = (await run("env", [], { cwd, env: { GIVEN: "1" } })).stdout.toString();
      const names = text
        .trim()
        .split("\n")
        .map((line) => line.split("=")[0]);
      expect(names).toContain("GIVEN");
      expect(names).toContain("PATH");
      expect(names.filter((name) => name?.startsWith("GIT_") || name === "HIVE_TEST_SECRET")).toEqual([]);
    } finally {
      delete process.env.GIT_DIR;
      delete process.env.HIVE_TEST_SECRET;
    }
  });

  it("AS-065 git runs in its directory whatever GIT_DIR says outside", async () => {
    process.env.GIT_DIR = "/nowhere";
    try {
      expect((await git(["init", "-q", "."], { cwd })).exitCode).toBe(0);
      expect((await git(["rev-parse", "--git-dir"], { cwd })).stdout.toString()).toBe(".git\n");
    } finally {
      delete process.env.GIT_DIR;
    }
  });
});

describe("ending", () => {
  it("WH-160 a time-out kills grandchildren in other groups and sessions within 2 s", async () => {
    const script = `
      (trap '' TERM; sleep 300) &  echo $! > group
      setsid sh -c 'echo $$ > session; sleep 300' &
      setsid sh -c '(trap "" TERM; echo \${PPID} > /dev/null; sh -c "echo \\$\\$ > orphan; sleep 300") & exit 0' 
      wait`;
    const startedAt = Date.now();
    const result = await sh(script, { timeoutMs: 400, graceMs: 300 });
    expect(Date.now() - startedAt).toBeLessThan(2400);
    expect(result).toMatchObject({ timedOut: true });
    for (const name of ["group", "session", "orphan"]) {
      const pid = Number(readFileSync(join(cwd, name), "utf8"));
      expect([name, startTimeOf(pid)]).toEqual([name, null]);
    }
  });

  it("WH-160 a time-out finds what got away from a run inside the run", async () => {
    const away = "setsid sh -c 'echo $$ > nested; exec sleep 300' >/dev/null 2>&1 & exit 0";
    const script = `
      import { run } from ${JSON.stringify(join(import.meta.dirname, "../dist/index.js"))};
      await run("sh", ["-c", ${JSON.stringify(away)}], { cwd: "." });
      setInterval(() => {}, 1000);`;
    const args = ["--input-type=module", "-e", script];
    const result = await run(process.execPath, args, { cwd, timeoutMs: 1500, graceMs: 200 });
    expect(result).toMatchObject({ timedOut: true });
    const pid = Number(readFileSync(join(cwd, "nested"), "utf8"));
    expect([pid > 1, startTimeOf(pid)]).toEqual([true, null]);
  });

  it("WH-160 a pipe inherited by a process that got away does not hang the run", async () => {
    const startedAt = Date.now();
    const result = await sh("setsid sleep 30 & echo $!; exit 3");
    expect(Date.now() - startedAt).toBeLessThan(2000);
    expect(result).toMatchObject({ exitCode: 3, timedOut: false });
    process.kill(Number(result.stdout.toString()), "SIGKILL");
  });

  it("leaves no background process of its group behind", async () => {
    const result = await sh("sleep 30 >/dev/null 2>&1 & echo $!");
    await sleep(50);
    expect(startTimeOf(Number(result.stdout.toString()))).toBeNull();
  });

  it("an abort ends the run and is told apart from a time-out", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const result = await sh("sleep 30", { signal: controller.signal });
    expect(result).toMatchObject({ canceled: true, timedOut: false, signal: "SIGTERM" });
  });

  it("kill ends a running command and its tree", async () => {
    const child = start("sh", ["-c", "sleep 60 & echo $!; wait"], { cwd });
    const [first] = (await child.stdout[Symbol.asyncIterator]().next()).value.toString().split("\n");
    await child.kill();
    expect((await child.done).signal).toBe("SIGTERM");
    expect(startTimeOf(Number(first))).toBeNull();
  });

  it("start streams output while the command runs", async () => {
    const child = start("sh", ["-c", "echo first; read line; echo got $line"], { cwd });
    let text = "";
    for await (const chunk of child.stdout) {
      text += String(chunk);
      if (text === "first\n") child.stdin.write("hello\n");
    }
    expect(text).toBe("first\ngot hello\n");
    expect((await child.done).exitCode).toBe(0);
  });

  it("a process number used again is not taken for the old process", () => {
    const startTime = startTimeOf(process.pid) ?? "";
    expect(processAlive({ pid: process.pid, startTime })).toBe(true);
    expect(processAlive({ pid: process.pid, startTime: "1" })).toBe(false);
  });
});

describe("exit registry", () => {
  const parent = (ending: string) => `
    import { start } from ${JSON.stringify(join(import.meta.dirname, "../dist/index.js"))};
    const child = start("sh", ["-c", "setsid sleep 60 & echo $!; exec sleep 60"], { cwd: "/" });
    child.stdout.on("data", (d) => { console.log(child.pid, String(d)); ${ending} });`;

  it.each([
    ["an exit", "setTimeout(() => process.exit(0), 50)"],
    ["SIGTERM", "setTimeout(() => process.kill(process.pid, 'SIGTERM'), 50)"],
    ["SIGINT", "setTimeout(() => process.kill(process.pid, 'SIGINT'), 50)"],
  ])("%s of the parent takes its children along", async (_title, ending) => {
    const result = await run(process.execPath, ["--input-type=module", "-e", parent(ending)], { cwd });
    const pids = result.stdout.toString().trim().split(/\s+/).map(Number);
    expect(pids).toHaveLength(2);
    await sleep(100);
    expect(pids.map(startTimeOf)).toEqual([null, null]);
  });
});
