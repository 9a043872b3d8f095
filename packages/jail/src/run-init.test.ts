import { join } from "node:path";
import { run, start } from "@worktree-hive/exec";
import { describe, expect, it } from "vitest";

const init = join(import.meta.dirname, "../dist/run-init.js");
const before = [init, "--listen", "0", "--git-socket", "/nonexistent", "--repo", "o/r", "--"];

const initRun = (command: readonly string[], env: Record<string, string> = {}) =>
  run(process.execPath, [...before, ...command], { cwd: "/", env });

describe("run-init", () => {
  it("passes output, input and the exit code through", async () => {
    const result = await run(process.execPath, [...before, "sh", "-c", "cat; echo err >&2; exit 9"], {
      cwd: "/",
      input: "in",
    });
    expect([result.stdout.toString(), result.stderr.toString(), result.exitCode]).toEqual(["in", "err\n", 9]);
  });

  it("answers 127 for a program that does not exist, and 128 + n for a signal", async () => {
    expect((await initRun(["no-such-program-x"])).exitCode).toBe(127);
    expect((await initRun(["sh", "-c", "kill -KILL $$"])).exitCode).toBe(137);
  });

  it("refuses to start without a command", async () => {
    const result = await run(process.execPath, before.slice(0, -1), { cwd: "/" });
    expect([result.exitCode, result.stderr.toString()]).toEqual([
      64,
      expect.stringContaining("usage: run-init"),
    ]);
  });

  it("forwards signals, so that an agent can end in its own way", async () => {
    const script = "trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.05; done";
    const child = start(process.execPath, [...before, "bash", "-c", script], { cwd: "/" });
    let text = "";
    for await (const chunk of child.stdout) {
      text += String(chunk);
      if (text === "ready\n" && child.pid !== null) process.kill(child.pid, "SIGTERM");
    }
    expect(text).toBe("ready\nbye\n");
    expect((await child.done).exitCode).toBe(3);
  });

  it("WH-009 S46 pins git's config and keeps what was already in the environment", async () => {
    const given = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "agent" };
    const result = await initRun(["git", "config", "--list"], given);
    const config = result.stdout.toString();
    for (const line of ["user.name=agent", "pull.ff=only", "gc.auto=0", "push.default=current"]) {
      expect(config).toContain(line);
    }
    expect(config).toMatch(/remote\.origin\.url=http:\/\/127\.0\.0\.1:\d+\/o\/r\.git/);
  });
});
