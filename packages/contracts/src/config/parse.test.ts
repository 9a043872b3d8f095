import { readFile } from "node:fs/promises";
import { FIX_BUDGET } from "@worktree-hive/domain";
import { describe, expect, it } from "vitest";
import { environmentExample } from "./environment.ts";
import { configJsonSchema } from "./json-schema.ts";
import { parseConfig } from "./parse.ts";
import type { ConfigProblem } from "./problem.ts";
import { FIX_BUDGET_CEILING } from "./schema.ts";

const MINIMAL = "agent: { type: acp, command: [my-agent] }\n";
const file = "hive.yaml";

function problems(yaml: string): readonly ConfigProblem[] {
  const parsed = parseConfig(yaml, { file });
  return parsed.ok ? [] : parsed.problems;
}

describe("parseConfig", () => {
  it("fills in every default", () => {
    const parsed = parseConfig(`${MINIMAL}repositories: [{ name: acme/app }]\n`, { file });

    expect(parsed).toEqual({
      ok: true,
      config: {
        version: 1,
        data_dir: "./hive-data",
        worktree_root: "./hive-data/worktrees",
        server: { host: "127.0.0.1", names: [], port: 7400 },
        github: {
          api_url: "https://api.github.com",
          git_url: "https://github.com",
          token_env: "GITHUB_TOKEN",
          webhook_secret_env: "HIVE_WEBHOOK_SECRET",
        },
        allowed_owners: [],
        repositories: [
          {
            name: "acme/app",
            labels: ["hive"],
            fix_budget: 3,
            checks_grace_seconds: 90,
            allow_workflow_edits: false,
            rebuildable: ["node_modules"],
            egress_allow: [],
          },
        ],
        agent: {
          type: "acp",
          command: ["my-agent"],
          read_only_paths: [],
          environment: {},
          timeout_minutes: 30,
        },
        isolation: "preferred",
        egress: { allow: [] },
        worker: { concurrency: 2 },
        watch: { poll_seconds: 60 },
      },
    });
  });

  it("keeps a worktree root that is given", () => {
    const parsed = parseConfig(`${MINIMAL}data_dir: /srv/hive/\nworktree_root: /fast\n`, { file });

    expect(parsed.ok && parsed.config.worktree_root).toBe("/fast");
  });

  it("reports all problems at once, in the order of the file and with their lines", () => {
    const found = problems(
      [
        "agent: { type: acpp }",
        "server:",
        "  port: 70000",
        "repositories:",
        "  - name: acme",
        "    fix_budget: 4",
        "    labls: [hive]",
        "isolation: always",
        "watch: { poll_seconds: soon }",
      ].join("\n"),
    );

    expect(found).toEqual([
      {
        path: "agent.type",
        value: "acpp",
        message: 'must be "acp" or "command" or "scripted"; did you mean "acp"?',
        allowed: ["acp", "command", "scripted"],
        line: 1,
      },
      { path: "server.port", value: 70000, message: "must be at most 65535", line: 3 },
      { path: "repositories[0].name", value: "acme", message: "must be written owner/name", line: 5 },
      { path: "repositories[0].fix_budget", value: 4, message: "must be at most 3", line: 6 },
      {
        path: "repositories[0].labls",
        value: ["hive"],
        message: '"labls" is not a known key; did you mean "labels"?',
        allowed: expect.arrayContaining(["name", "labels"]),
        line: 7,
      },
      {
        path: "isolation",
        value: "always",
        message: 'must be "required" or "preferred" or "none"',
        allowed: ["required", "preferred", "none"],
        line: 8,
      },
      { path: "watch.poll_seconds", value: "soon", message: "must be a number, not text", line: 9 },
    ]);
  });

  it("WH-048 refuses a fix budget over 3, below 0 and between whole numbers", () => {
    const budget = (value: string) =>
      problems(`${MINIMAL}repositories: [{ name: a/b, fix_budget: ${value} }]`);

    expect(budget("4").map(({ message }) => message)).toEqual(["must be at most 3"]);
    expect(budget("-1").map(({ message }) => message)).toEqual(["must be at least 0"]);
    expect(budget("1.5").map(({ message }) => message)).toEqual(["must be a whole number, not a fraction"]);
    expect(budget("0")).toEqual([]);
    expect(FIX_BUDGET_CEILING).toBe(FIX_BUDGET);
  });

  it("says that the agent is missing", () => {
    expect(problems("version: 1")).toEqual([
      expect.objectContaining({ path: "agent", message: "is missing" }),
    ]);
    expect(problems("")).toEqual([expect.objectContaining({ path: "agent", message: "is missing" })]);
    expect(problems("agent: { type: acp }")).toEqual([
      expect.objectContaining({ path: "agent.command", message: "is missing" }),
    ]);
  });

  it("names an unknown key of the chosen agent", () => {
    expect(problems("agent: { type: scripted, script: a.yaml, timeout_minuts: 3 }")).toEqual([
      expect.objectContaining({
        path: "agent.timeout_minuts",
        message: '"timeout_minuts" is not a known key; did you mean "timeout_minutes"?',
      }),
    ]);
  });

  it("reports broken YAML with its line, and a repeated key", () => {
    expect(problems("agent:\n  type: [acp\n")).toEqual([expect.objectContaining({ path: "", line: 3 })]);
    expect(problems(`${MINIMAL}data_dir: a\ndata_dir: b\n`)).toEqual([
      expect.objectContaining({ path: "", message: expect.stringMatching(/^not valid YAML/), line: 3 }),
    ]);
  });

  it("refuses a file that is no mapping, and one whose aliases explode", () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
    for (const [name, of] of [
      ["b", "a"],
      ["c", "b"],
      ["d", "c"],
      ["e", "d"],
    ]) {
      bomb.push(`${name}: &${name} [${Array(10).fill(`*${of}`).join(",")}]`);
    }

    expect(problems("- one\n- two")).toEqual([expect.objectContaining({ path: "" })]);
    expect(problems(bomb.join("\n"))).not.toEqual([]);
  });

  it("WH-134 refuses a repository that is listed twice in different spelling", () => {
    expect(problems(`${MINIMAL}repositories:\n  - name: acme/app\n  - name: Acme/App\n`)).toEqual([
      {
        path: "repositories[1].name",
        value: "Acme/App",
        message: "is listed twice; it is already repositories[0]",
        line: 4,
      },
    ]);
  });

  it("takes hosts with and without a port as egress, and no addresses of pages", () => {
    const good = ["registry.npmjs.org", "*.example.com", "127.0.0.1:8080", "[::1]:65535"];
    expect(problems(`${MINIMAL}egress: { allow: ${JSON.stringify(good)} }\n`)).toEqual([]);
    const bad = ["https://a.test", "a.test/x", "*", "a.*.test", "a.test:65536"];
    const found = problems(`${MINIMAL}egress: { allow: ${JSON.stringify(bad)} }\n`);
    expect(found.map(({ path }) => path)).toEqual(bad.map((_, index) => `egress.allow[${index}]`));
  });

  it("never repeats what may be a secret", () => {
    const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    const found = problems(
      `agent: { type: acp, command: [a], environment: { API_KEY: 12345 } }\ngithub: { token: ${token}, token_env: "${token}=" }\n`,
    );

    expect(found).toHaveLength(3);
    expect(JSON.stringify(found)).not.toContain(token);
    expect(JSON.stringify(found)).not.toContain("12345");
  });
});

describe("the published files", () => {
  const root = new URL("../../../../", import.meta.url);

  it("has a current JSON Schema in docs/reference", async () => {
    const published = await readFile(new URL("docs/reference/hive.schema.json", root), "utf8");

    expect(JSON.parse(published)).toEqual(configJsonSchema());
  });

  it("has a current .env.example", async () => {
    expect(await readFile(new URL(".env.example", root), "utf8")).toBe(environmentExample());
  });

  it("describes every key of the configuration", () => {
    const missing: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      if ("properties" in node && typeof node.properties === "object" && node.properties !== null) {
        for (const [key, child] of Object.entries(node.properties)) {
          const constant = typeof child === "object" && child !== null && "const" in child;
          if (!constant && !("description" in child)) missing.push(`${path}.${key}`);
          visit(child, `${path}.${key}`);
        }
      }
      for (const part of ["items", "oneOf", "anyOf"] as const) {
        if (part in node)
          for (const child of [(node as Record<string, unknown>)[part]].flat()) visit(child, path);
      }
    };
    visit(configJsonSchema(), "");

    expect(missing).toEqual([]);
  });
});
