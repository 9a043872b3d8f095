import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkArchitecture } from "../../scripts/import-rules.ts";

const made: string[] = [];
afterEach(async () => {
  for (const path of made.splice(0)) await rm(path, { recursive: true, force: true });
});

/** A small tree with the given files; each package gets a package.json unless one is given. */
async function treeOf(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "hive-architecture-"));
  made.push(root);
  const all: Record<string, string> = { "package.json": `{"devDependencies":{"vitest":"1.0.0"}}` };
  for (const path of Object.keys(files)) {
    const [group = "", name = ""] = path.split("/");
    all[`${group}/${name}/package.json`] = JSON.stringify({ name: `@worktree-hive/${name}` });
  }
  for (const group of ["packages", "apps"]) await mkdir(join(root, group));
  for (const [path, text] of Object.entries({ ...all, ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

const problemsOf = async (files: Readonly<Record<string, string>>) =>
  (await checkArchitecture(await treeOf(files))).problems;

const manifest = (name: string, rest: object) => JSON.stringify({ name: `@worktree-hive/${name}`, ...rest });

describe("the import rules", () => {
  it("hold in this project", async () => {
    const { problems } = await checkArchitecture(join(import.meta.dirname, "../.."));

    expect(problems).toEqual([]);
  });

  it.each([
    ["an import upwards", "packages/domain/src/a.ts", `import "@worktree-hive/policy";`, "may not"],
    ["an import sideways", "packages/store/src/a.ts", `import "@worktree-hive/queue";`, "may not"],
    ["an import of an app", "apps/worker/src/a.ts", `export * from "@worktree-hive/hive";`, "may not"],
    ["a dynamic import upwards", "packages/log/src/a.ts", `await import("@worktree-hive/exec");`, "may not"],
    [
      "a deep import",
      "packages/policy/src/a.ts",
      `import "@worktree-hive/domain/src/x.ts";`,
      "never a file in it",
    ],
    [
      "a path into another package",
      "packages/policy/src/a.ts",
      `import "../../domain/src/x.ts";`,
      "lies outside",
    ],
    [
      "values where only types are allowed",
      "packages/contracts/src/a.ts",
      `import { b } from "@worktree-hive/domain";`,
      "only types",
    ],
    ["Node in browser code", "packages/contracts/src/a.ts", `import "node:fs";`, "browser"],
    [
      "a second spawn",
      "packages/gates/src/a.ts",
      `import { spawn } from "node:child_process";`,
      "only spawn",
    ],
    [
      "a spawn without prefix",
      "packages/gates/src/a.ts",
      `import { spawn } from "child_process";`,
      "only spawn",
    ],
    [
      "an environment read in a package",
      "packages/store/src/a.ts",
      `export const a = process.env.A;`,
      "process.env",
    ],
    ["a clock in pure code", "packages/policy/src/a.ts", `export const a = Date.now();`, "Date.now"],
    ["a new date in pure code", "packages/lifecycle/src/a.ts", `export const a = new Date();`, "new Date()"],
    ["chance in pure code", "packages/domain/src/a.ts", `export const a = Math.random();`, "Math.random"],
    ["a package without a row", "packages/novel/src/a.ts", `export const a = 1;`, "not in the import table"],
    ["a file past the limit", "packages/log/src/a.ts", "// line\n".repeat(401), "401 lines"],
  ])("refuse %s", async (_, path, text, expected) => {
    expect(await problemsOf({ [path]: text })).toContainEqual(expect.stringContaining(expected));
  });

  it.each([
    [
      "types of the domain in contracts",
      "packages/contracts/src/a.ts",
      `import type { B } from "@worktree-hive/domain";`,
      "domain",
    ],
    ["a package below", "packages/gates/src/a.ts", `import "@worktree-hive/policy";`, "policy"],
  ])("allow %s", async (_, path, text, dependency) => {
    const [group, name = ""] = path.split("/");
    const dependencies = { [`@worktree-hive/${dependency}`]: "*" };

    expect(
      await problemsOf({ [path]: text, [`${group}/${name}/package.json`]: manifest(name, { dependencies }) }),
    ).toEqual([]);
  });

  it("allow a test to import fakes that are declared, and refuse undeclared ones", async () => {
    const text = `import "@worktree-hive/testkit"; import "vitest";`;
    const devDependencies = { "@worktree-hive/testkit": "*" };
    const declared = { "packages/store/package.json": manifest("store", { devDependencies }) };

    expect(await problemsOf({ "packages/store/src/a.test.ts": text, ...declared })).toEqual([]);
    expect(await problemsOf({ "packages/store/src/a.test.ts": text })).toEqual([
      "packages/store/package.json: tests use @worktree-hive/testkit, which is no development dependency",
    ]);
  });

  it("refuse files that import each other, but not for their types", async () => {
    const a = "packages/log/src/a.ts";
    const b = { "packages/log/src/b.ts": `import { a } from "./a.ts"; export const b = a;` };

    expect(await problemsOf({ [a]: `import { b } from "./b.ts"; export const a = b;`, ...b })).toEqual([
      "import circle of 2 files: packages/log/src/a.ts, packages/log/src/b.ts",
    ]);
    expect(
      await problemsOf({ [a]: `import type { b } from "./b.ts"; export type A = typeof b;`, ...b }),
    ).toEqual([]);
  });

  it("demand that package.json declares exactly what is imported", async () => {
    const dependencies = { pino: "1.0.0" };
    const found = await problemsOf({
      "packages/log/src/a.ts": `import "zod";`,
      "packages/log/package.json": manifest("log", { dependencies }),
    });

    expect(found).toEqual([
      "packages/log/package.json: uses zod, which it does not depend on",
      "packages/log/package.json: depends on pino, which nothing in it uses",
    ]);
  });
});
