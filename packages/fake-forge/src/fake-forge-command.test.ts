import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, start } from "@worktree-hive/exec";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const BIN = join(import.meta.dirname, "../bin/fake-forge.js");
let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "fake-forge-bin-"));
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

async function forge(...args: string[]): Promise<{ exitCode: number | null; stderr: string }> {
  const result = await run("node", [BIN, ...args], { cwd: root, timeoutMs: 20_000 });
  return { exitCode: result.exitCode, stderr: result.stderr.toString("utf8") };
}

describe("the fake-forge binary", () => {
  it("says where it listens and ends with 0 on SIGTERM", async () => {
    const seed = join(root, "seed.yaml");
    writeFileSync(seed, "users: [{login: ada}]\ntokens: [{token: t, login: ada}]\n");
    const child = start("node", [BIN, "--port", "0", "--data", join(root, "data"), "--seed", seed], {
      cwd: root,
    });
    const [line] = (await child.stdout.take(1).toArray()) as Buffer[];
    const { event, url } = JSON.parse(String(line)) as { event: string; url: string };
    const user = await fetch(`${url}/user`, { headers: { authorization: "token t" } });

    process.kill(child.pid ?? 0, "SIGTERM");

    expect(event).toBe("listening");
    expect(await user.json()).toMatchObject({ login: "ada", type: "User" });
    expect((await child.done).exitCode).toBe(0);
  });

  it("reports every problem of a bad seed and exits with 2", async () => {
    const seed = join(root, "bad.yaml");
    writeFileSync(seed, "users: [{login: 'a b'}]\ntokens: [{token: '', login: nobody}]\nwhatever: 1\n");
    const { exitCode, stderr } = await forge("--data", join(root, "bad"), "--seed", seed);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("users.0.login");
    expect(stderr).toContain("tokens.0.token");
    expect(stderr).toContain("whatever");
  });

  it("exits with 3 when the port is taken", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { exitCode, stderr } = await forge("--port", String(port), "--data", join(root, "taken"));
    other.close();
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`port ${port} is taken`);
  });

  it("exits with 4 when the data directory can't be written", async () => {
    writeFileSync(join(root, "file"), "");
    const { exitCode, stderr } = await forge("--data", join(root, "file", "data"));
    expect(exitCode).toBe(4);
    expect(stderr).toContain("can't be written");
  });
});
