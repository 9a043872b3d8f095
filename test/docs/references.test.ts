import { describe, expect, it } from "vitest";
import { configReference } from "../../scripts/reference/config-page.ts";
import { madeErrors } from "../../scripts/reference/error-page.ts";
import { firstCells, pageOf, ROOT, sourcesBelow } from "./page.ts";

describe("the reference", () => {
  it("config.md is what the schema makes", async () => {
    expect(await pageOf("docs/reference/config.md")).toBe(configReference());
  });

  it("errors.md names every code with its kind, and no other", async () => {
    const page = await pageOf("docs/reference/errors.md");
    const told = [...page.matchAll(/^\| `([A-Z_]+)` \| (\w+) \|/gm)].map(
      ([, code, kind]) => `${code} ${kind}`,
    );
    const made = (await madeErrors(ROOT)).map(({ code, kind }) => `${code} ${kind}`);

    expect(told.sort()).toEqual(made.sort());
  });

  it("events.md names every type of timeline event, and no other", async () => {
    const sources = await sourcesBelow(
      "packages/lifecycle/src/*.ts",
      "apps/worker/src/*.ts",
      "apps/control-plane/src/*.ts",
    );
    const used = sources.flatMap((text) =>
      [...text.matchAll(/(?:\btype: |told\()["`]([a-z_]+\.(?:[a-z_]+|\$\{\w+\}))["`]/g)].map(
        ([, type = ""]) => type,
      ),
    );
    // A settled push is told by its status.
    const types = used.flatMap((type) => (type.includes("$") ? ["push.pushed", "push.void"] : [type]));

    expect(firstCells(await pageOf("docs/reference/events.md")).sort()).toEqual([...new Set(types)].sort());
  });

  it("api.md names every route of the control plane, and no other", async () => {
    const sources = await sourcesBelow("apps/control-plane/src/routes/*.ts");
    const routes = sources.flatMap((text) =>
      [...text.matchAll(/app\.(get|post|put|patch|delete)\(\s*"([^"]+)"/g)].map(
        ([, method = "", path = ""]) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, "{$1}")}`,
      ),
    );

    expect(firstCells(await pageOf("docs/reference/api.md")).sort()).toEqual(routes.sort());
  });
});
