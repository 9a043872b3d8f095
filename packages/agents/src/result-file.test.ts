import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readResult } from "./result-file.ts";

describe("readResult", () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "hive-result-")));
    file = join(directory, "result.json");
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const read = (text: string) => {
    writeFileSync(file, text);
    return readResult(file);
  };

  it("reads a whole result and fills in what may be left out", async () => {
    expect(
      await read('{"summary":"s","replies":[{"threadId":"T","body":"b"}],"question":"q?","mood":"good"}'),
    ).toEqual({ summary: "s", replies: [{ threadId: "T", body: "b" }], question: "q?" });
    expect(await read('{"summary":"s"}')).toEqual({ summary: "s", replies: [], question: null });
    expect(await read('{"summary":"s","question":"  "}')).toMatchObject({ question: null });
  });

  it("has no result where there is no file or an empty one", async () => {
    expect(await readResult(file)).toBeNull();
    expect(await read("\n")).toBeNull();
  });

  it("says what is wrong with an invalid result", async () => {
    expect(await read("{")).toMatchObject({ invalid: expect.stringContaining("not JSON") });
    expect(await read('{"summary":1}')).toMatchObject({ invalid: expect.stringContaining("summary") });
    expect(await read('{"summary":"s","replies":[{"threadId":"","body":"b"}]}')).toMatchObject({
      invalid: expect.stringContaining("threadId"),
    });
    expect(await read(`{"summary":"${"s".repeat(1024 * 1024)}"}`)).toMatchObject({
      invalid: expect.stringContaining("no plain file"),
    });
  });

  it("follows no link and waits for no pipe that an agent planted", async () => {
    writeFileSync(join(directory, "secret.json"), '{"summary":"secret"}');
    symlinkSync(join(directory, "secret.json"), file);
    expect(await readResult(file)).toMatchObject({ invalid: expect.stringContaining("ELOOP") });

    rmSync(file);
    await run("mkfifo", [file], { cwd: directory });
    expect(await readResult(file)).toMatchObject({ invalid: expect.stringContaining("no plain file") });
  });
});
