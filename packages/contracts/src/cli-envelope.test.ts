import type { RunResult as DomainRunResult } from "@worktree-hive/domain";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { CliEnvelope, errorEnvelope, okEnvelope } from "./cli-envelope.ts";
import { RunResult } from "./run-result.ts";

describe("the command line's envelope", () => {
  it("WH-170 is either ok with data or not ok with an error", () => {
    expect(CliEnvelope.parse(okEnvelope({ jobs: [] }))).toEqual({ version: 1, ok: true, data: { jobs: [] } });
    const failed = errorEnvelope({ code: "A_B", message: "no", hint: undefined });
    expect(CliEnvelope.parse(failed)).toEqual({
      version: 1,
      ok: false,
      error: { code: "A_B", message: "no" },
    });
    expect(CliEnvelope.safeParse({ ...failed, data: 1 }).success).toBe(false);
    expect(CliEnvelope.safeParse({ version: 2, ok: true, data: 1 }).success).toBe(false);
  });
});

describe("RunResult", () => {
  it("is the domain's type, drops unknown fields and fills in what is left out", () => {
    const result: DomainRunResult = RunResult.parse({ summary: "Did it", merged: true });

    expect(result).toEqual({ summary: "Did it", replies: [], question: null });
    expect(RunResult.safeParse({ summary: "x".repeat(60_001) }).success).toBe(false);
  });
});

describe("the package", () => {
  it("bundles for a browser without any module of Node", async () => {
    const entry = new URL("./index.ts", import.meta.url).pathname;
    const bundle = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      format: "esm",
      platform: "browser",
      conditions: ["hive-source"],
      logLevel: "silent",
    });

    expect(bundle.errors).toEqual([]);
  });
});
