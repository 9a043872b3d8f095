import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@worktree-hive/domain";
import { describe, expect, it } from "vitest";
import { openTranscript } from "./transcript.ts";

describe("a transcript", () => {
  it("holds one JSON object a line, without NUL and lone surrogates", async () => {
    const directory = await mkdtemp(join(tmpdir(), "hive-transcript-"));
    const file = join(directory, "run.jsonl");
    const transcript = await openTranscript(file, systemClock);
    transcript.write({ type: "message", text: "a\0b\ud800c \u{1f41d}" });
    await transcript.close();
    const text = await readFile(file, "utf8");
    await rm(directory, { recursive: true });

    expect(text).not.toMatch(/\\u0000|\\ud800/i);
    expect(JSON.parse(text)).toMatchObject({
      type: "message",
      text: expect.stringMatching(/^a.?b.?c \u{1f41d}$/u),
    });
  });
});
