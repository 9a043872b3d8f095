import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "@worktree-hive/exec";
import type { FakeForge } from "@worktree-hive/fake-forge";
import { freePort } from "@worktree-hive/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type CliResult,
  envelope,
  hive,
  type LiveCli,
  processesAbout,
  startHive,
  treeOf,
} from "./harness/cli.ts";
import { type Box, type BoxOptions, EMPTY, makeBox, OTHER, startCliForge } from "./harness/cli-world.ts";
import { eventually } from "./harness/eventually.ts";
import { OPERATOR_TOKEN, OWNER, operator, REPOSITORY } from "./harness/forge.ts";

let root: string;
let forge: FakeForge;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "hive-bad-"));
  forge = await startCliForge(join(root, "forge"));
});

afterAll(async () => {
  await forge.close();
  await rm(root, { recursive: true, force: true });
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function box(options: Partial<BoxOptions> = {}): Promise<Box> {
  const made = await makeBox({ forgeUrl: forge.url, ...options });
  cleanUps.push(() => made.remove());
  return made;
}

interface Refusal {
  /** Exit code. */
  readonly exit: number;
  /** Code in the envelope. */
  readonly code: string;
  /** What the one message says. */
  readonly says: readonly (string | RegExp)[];
  readonly hint?: string | RegExp;
}

/** Runs a command as people do and with `--json`; both refuse alike, with one message, and leave nothing behind. */
async function refuses(
  made: Box,
  args: readonly string[],
  wanted: Refusal,
  env: Record<string, string> = {},
) {
  const options = { cwd: made.directory, env: { ...made.env, ...env } };
  const before = await treeOf(made.directory);

  const [human, json] = await Promise.all([hive(args, options), hive([...args, "--json"], options)]);

  expectRefusal(human, json, wanted);
  expect(await treeOf(made.directory)).toEqual(before);
  expect(processesAbout(made.directory)).toEqual([]);
}

function expectRefusal(human: CliResult, json: CliResult, { exit, code, says, hint }: Refusal): void {
  const said = envelope(json.stdout);
  if (said.ok) throw new Error("it worked");
  expect({ code: said.error.code, exit: json.code, stderr: json.stderr }).toEqual({ code, exit, stderr: "" });
  for (const part of says) expect(said.error.message).toMatch(part);
  if (hint !== undefined) expect(said.error.hint).toMatch(hint);
  const lines = [
    `error ${said.error.message}`,
    ...(said.error.hint === undefined ? [] : [`hint  ${said.error.hint}`]),
  ];
  expect({ stdout: human.stdout, stderr: human.stderr, code: human.code }).toEqual({
    stdout: "",
    stderr: `${lines.join("\n")}\n`,
    code: exit,
  });
}

describe("a wrong call", () => {
  it.each([
    ["an unknown command", ["lst"], "unknown command 'lst'", "did you mean list?"],
    ["an unknown option", ["list", "--stat", "ready"], "unknown option '--stat'", "did you mean --state?"],
    ["a missing argument", ["show"], "missing required argument 'job'", "hive --help"],
    [
      "a value that is not among the choices",
      ["list", "--state", "redy"],
      "'redy' is invalid. Allowed choices are queued",
      "",
    ],
    [
      "a number that is none",
      ["demo", "--timeout", "soon"],
      "argument 'soon' is invalid. It must be a number",
      "",
    ],
    [
      "an address that is none",
      ["list", "--url", "not an address"],
      '--url: "not an address" is not an http',
      "http://",
    ],
    [
      "an address of another kind",
      ["list", "--url", "ftp://x"],
      '--url: "ftp://x" is not an http',
      "http://",
    ],
    ["a shell that is not known", ["completion", "tcsh"], "'tcsh' is invalid", ""],
  ])("WH-170 of %s is refused with 2 and says what is right", async (_what, args, message, hint) => {
    await refuses(await box(), args, { exit: 2, code: "USAGE", says: [message], hint });
  });

  it("WH-170 without a command gives help to people and one envelope to programs", async () => {
    const { directory } = await box();
    const [human, json] = await Promise.all([
      hive([], { cwd: directory }),
      hive(["--json"], { cwd: directory }),
    ]);

    expect(human).toMatchObject({ code: 2, stdout: "" });
    expect(human.stderr).toContain("Usage: hive");
    expect(json).toMatchObject({ code: 2, stderr: "" });
    expect(envelope(json.stdout)).toMatchObject({ ok: false, error: { code: "USAGE" } });
  });

  it("names HIVE_URL when that is what is wrong", async () => {
    await refuses(
      await box(),
      ["list"],
      { exit: 2, code: "USAGE", says: ['HIVE_URL: "nowhere"'] },
      { HIVE_URL: "nowhere" },
    );
  });
});

describe("hive up refuses", () => {
  it("no configuration, with its path", async () => {
    await refuses(await box(), ["up", "--config", "absent.yaml"], {
      exit: 10,
      code: "CONFIG_MISSING",
      says: [/no readable configuration at \/.*absent\.yaml/],
      hint: "--config",
    });
  });

  it("three mistakes in one message, each with line, field, value and what is allowed", async () => {
    const made = await box();
    const text =
      "agent: { type: scripted, script: a }\nserver:\n  port: 70000\nisolation: always\nrepositories: [{ name: a/b, labls: [x] }]\n";
    await writeFile(join(made.directory, "three.yaml"), text);

    await refuses(made, ["up", "--config", "three.yaml"], {
      exit: 11,
      code: "CONFIG_INVALID",
      says: [
        "3 problems in three.yaml",
        "three.yaml:3 server.port: must be at most 65535 (it is 70000)",
        'three.yaml:4 isolation: must be "required" or "preferred" or "none" (it is "always")',
        'three.yaml:5 repositories[0].labls: "labls" is not a known key; did you mean "labels"?; known keys: name, ',
      ],
    });
  });

  it("a repository that the forge does not have", async () => {
    const made = await box({ over: { repositories: [{ name: `${OWNER}/nowhere` }] } });
    await refuses(made, ["up"], {
      exit: 13,
      code: "REPOSITORY_NOT_GIT",
      says: [`no repository ${OWNER}/nowhere on the forge`],
      hint: "repositories",
    });
  });

  it("a repository without a commit", async () => {
    const made = await box({ over: { repositories: [{ name: `${OWNER}/${EMPTY}` }] } });
    await refuses(made, ["up"], {
      exit: 14,
      code: "REPOSITORY_EMPTY",
      says: [`${OWNER}/${EMPTY} has no commits`],
    });
  });

  it("a port that another program has", async () => {
    const other = createTcpServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => new Promise((resolve) => other.close(resolve)));
    const { port } = other.address() as AddressInfo;

    await refuses(await box({ port }), ["up"], {
      exit: 15,
      code: "PORT_TAKEN",
      says: [`127.0.0.1:${port} is taken`],
      hint: "server.port",
    });
  });

  it("a data directory that is a file", async () => {
    const made = await box({ over: { data_dir: "script.json/data" } });
    await refuses(made, ["up"], {
      exit: 27,
      code: "DATA_DIR_UNUSABLE",
      says: ["script.json is not a writable directory"],
    });
  });

  it("to start without git", async () => {
    const made = await box();
    const path = join(made.directory, "bin");
    await mkdir(path);
    await refuses(
      made,
      ["up"],
      { exit: 12, code: "GIT_MISSING", says: ["git was not found"], hint: "2.38" },
      { PATH: path },
    );
  });

  it("a git that is too old, with its version", async () => {
    const made = await box();
    const path = join(made.directory, "bin");
    await mkdir(path);
    await writeFile(join(path, "git"), "#!/bin/sh\necho git version 2.20.1\n", { mode: 0o755 });
    await refuses(
      made,
      ["up"],
      { exit: 12, code: "GIT_MISSING", says: ["git 2.20.1 is too old"] },
      { PATH: path },
    );
  });

  it("required isolation without bubblewrap", async () => {
    const made = await box({ over: { isolation: "required" } });
    const path = join(made.directory, "bin");
    await mkdir(path);
    await symlink("/usr/bin/git", join(path, "git"));
    await refuses(
      made,
      ["up"],
      {
        exit: 21,
        code: "ISOLATION_MISSING",
        says: ["isolation is required, but bubblewrap"],
        hint: "preferred",
      },
      { PATH: path },
    );
  });

  it("a forge that does not answer", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await refuses(await box({ forgeUrl: url }), ["up"], {
      exit: 17,
      code: "FORGE_UNREACHABLE",
      says: [`the forge at ${url}`],
      hint: "github.api_url",
    });
  });

  it("a token that the forge refuses, without repeating it", async () => {
    const token = "a-token-that-nobody-knows";
    const made = await box();
    await refuses(
      made,
      ["up"],
      { exit: 18, code: "FORGE_DENIED", says: [/refused the token$/], hint: "GITHUB_TOKEN" },
      { GITHUB_TOKEN: token },
    );
  });

  it("missing secrets, all of them at once", async () => {
    await refuses(
      await box(),
      ["up"],
      { exit: 22, code: "SECRET_MISSING", says: ["GITHUB_TOKEN", "HIVE_WEBHOOK_SECRET"], hint: "token_file" },
      { GITHUB_TOKEN: "", HIVE_WEBHOOK_SECRET: " " },
    );
  });

  it("a file of a secret that cannot be read", async () => {
    await refuses(
      await box(),
      ["up"],
      { exit: 22, code: "SECRET_MISSING", says: ["GITHUB_TOKEN cannot be read: /nowhere"] },
      { GITHUB_TOKEN_FILE: "/nowhere" },
    );
  });

  it.each([
    ["DATABASE_URL", { DATABASE_URL: "postgres://127.0.0.1:1/hive" }, "REDIS_URL is not set"],
    ["REDIS_URL", { REDIS_URL: "redis://127.0.0.1:1" }, "DATABASE_URL is not set"],
  ])("%s alone", async (_name, env, says) => {
    await refuses(await box(), ["up"], { exit: 23, code: "SERVERS_MISSING", says: [says] }, env);
  });

  it("an address of a server that is none, without repeating it", async () => {
    const env = { DATABASE_URL: "hunter2", REDIS_URL: "redis://127.0.0.1:1" };
    await refuses(
      await box(),
      ["up"],
      { exit: 11, code: "CONFIG_INVALID", says: [/^DATABASE_URL is not an address[^2]*$/] },
      env,
    );
  });

  it("servers that do not answer, and makes no data directory for them", async () => {
    const port = await freePort();
    const env = { DATABASE_URL: `postgres://127.0.0.1:${port}/hive`, REDIS_URL: `redis://127.0.0.1:${port}` };
    await refuses(
      await box(),
      ["up"],
      { exit: 26, code: "STORE_UNAVAILABLE", says: ["database is not available"] },
      env,
    );
  });
});

describe("hive control-plane and hive worker", () => {
  it.each(["control-plane", "worker"])(
    "%s without servers is refused, since it cannot share an embedded store",
    async (part) => {
      await refuses(await box(), [part], {
        exit: 23,
        code: "SERVERS_MISSING",
        says: ["alone needs servers: DATABASE_URL and REDIS_URL not set"],
        hint: "hive up",
      });
    },
  );

  it.each([
    ["control-plane", { DATABASE_URL: "postgres://127.0.0.1:1/hive" }, "REDIS_URL not set"],
    ["worker", { REDIS_URL: "redis://127.0.0.1:1" }, "DATABASE_URL not set"],
  ])("%s with one of the two is refused", async (part, env, says) => {
    await refuses(await box(), [part], { exit: 23, code: "SERVERS_MISSING", says: [says] }, env);
  });
});

describe("hive demo --source refuses", () => {
  it("a directory that is not a git repository", async () => {
    const made = await box();
    await mkdir(join(made.directory, "plain"));
    await refuses(made, ["demo", "--source", join(made.directory, "plain")], {
      exit: 13,
      code: "REPOSITORY_NOT_GIT",
      says: [/plain is not a git repository/],
      hint: "--source",
    });
  });

  it("a directory that is not there", async () => {
    await refuses(await box(), ["demo", "--source", "/nowhere"], {
      exit: 13,
      code: "REPOSITORY_NOT_GIT",
      says: ["/nowhere is not"],
    });
  });

  it("a repository without a commit", async () => {
    const made = await box();
    const path = join(made.directory, "fresh");
    await mkdir(path);
    await git(["init", "--quiet"], { cwd: path });
    await refuses(made, ["demo", "--source", path], {
      exit: 14,
      code: "REPOSITORY_EMPTY",
      says: [/fresh has no commits/],
    });
  });

  it("to start without git", async () => {
    const made = await box();
    const path = join(made.directory, "bin");
    await mkdir(path);
    await refuses(
      made,
      ["demo"],
      { exit: 12, code: "GIT_MISSING", says: ["git was not found"] },
      { PATH: path },
    );
  });
});

describe("without a hive", () => {
  it.each(["list", "show 1-abcdef", "logs 1-abcdef", "logs -f 1-abcdef", "add acme/app#1"])(
    "hive %s says that none answers, and where",
    async (call) => {
      const url = `http://127.0.0.1:${await freePort()}`;
      await refuses(await box(), [...call.split(" "), "--url", url], {
        exit: 19,
        code: "HIVE_UNREACHABLE",
        says: [`no hive answers at ${url}`],
        hint: "hive up",
      });
    },
  );

  it("another program at the address is told from a hive", async () => {
    const server = createServer((_request, response) => response.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await refuses(await box(), ["list", "--url", url], {
      exit: 19,
      code: "HIVE_UNREACHABLE",
      says: [`${url} answered, but`],
      hint: "--url",
    });
  });
});

describe("with a hive that runs", () => {
  let made: Box;
  let live: LiveCli;
  let url: string;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
    made = await makeBox({ forgeUrl: forge.url, port });
    live = startHive(["up"], { cwd: made.directory, env: made.env });
    await eventually("the hive is ready", async () => (await fetch(`${url}/readyz`)).ok);
  });

  afterAll(async () => {
    await live?.process.kill();
    await made?.remove();
  });

  /** The hive itself works in its box, so the refused command gets one of its own. */
  async function refusesCall(args: readonly string[], wanted: Refusal): Promise<void> {
    await refuses(await box(), [...args, "--url", url], wanted);
  }

  it.each([
    ["the same port", () => port],
    ["another port", () => 0],
  ])("a second one on its data directory and %s is refused with its pid", async (_what, second) => {
    const other = await box({ port: second(), over: { data_dir: join(made.directory, "data") } });
    const before = await treeOf(join(made.directory, "data/store/locks"));

    await refuses(other, ["up"], {
      exit: 16,
      code: "DATA_DIR_IN_USE",
      says: [`${join(made.directory, "data")} is in use by process ${live.pid}`],
      hint: "data_dir",
    });

    expect(await treeOf(join(made.directory, "data/store/locks"))).toEqual(before);
  });

  it.each([["show"], ["logs"]])("hive %s of an unknown job is refused with its id", async (command) => {
    await refusesCall([command, "9-ffffff"], { exit: 20, code: "JOB_NOT_FOUND", says: ["no job 9-ffffff"] });
  });

  it.each([
    ["of another host", "https://example.invalid/acme/app/issues/1"],
    ["that is none", "what"],
    ["of a pull request's page", "FORGE/acme/app/pull/1"],
  ])("hive add of an address %s is refused and shows the form", async (_what, address) => {
    await refusesCall(["add", address.replace("FORGE", forge.url)], {
      exit: 24,
      code: "ISSUE_URL_INVALID",
      says: ["is not an issue of"],
      hint: "owner/name#12",
    });
  });

  it("hive add of an issue in a repository that is not configured is refused", async () => {
    await refusesCall(["add", `${OWNER}/${OTHER}#1`], {
      exit: 25,
      code: "ISSUE_NOT_TAKEN",
      says: [`${OWNER}/${OTHER} is not in repositories`],
    });
  });

  it("hive add of an issue of an owner who is not allowed is refused", async () => {
    await refusesCall(["add", "stranger/app#1"], {
      exit: 25,
      code: "ISSUE_NOT_TAKEN",
      says: ["the owner stranger is not in allowed_owners"],
    });
  });

  it("hive add of an issue that is not there is refused", async () => {
    await refusesCall(["add", `${OWNER}/${REPOSITORY}#4711`], {
      exit: 20,
      code: "ISSUE_NOT_FOUND",
      says: [`${OWNER}/${REPOSITORY}#4711`],
    });
  });

  it("hive add of a closed issue is refused", async () => {
    const ann = operator(forge.url);
    const { number } = await ann.call<{ number: number }>("POST", "/issues", { title: "Old" });
    await ann.call("PATCH", `/issues/${number}`, { state: "closed" });

    await refusesCall(["add", `${OWNER}/${REPOSITORY}#${number}`], {
      exit: 25,
      code: "ISSUE_NOT_TAKEN",
      says: [`#${number} is closed`],
    });
  });

  it("hive add of a pull request's number is refused", async () => {
    const number = await openPull();

    await refusesCall(["add", `${OWNER}/${REPOSITORY}#${number}`], {
      exit: 25,
      code: "ISSUE_NOT_TAKEN",
      says: [`#${number} is a pull request`],
    });
  });

  it("hive list of a repository that is not written owner/name says what is wrong", async () => {
    await refusesCall(["list", "--repository", "app"], {
      exit: 1,
      code: "REQUEST_INVALID",
      says: ["must be written owner/name"],
    });
  });
});

/** A pull request of somebody else: one commit on a branch, made over the forge's git. */
async function openPull(): Promise<number> {
  const path = join(root, "clone");
  const url = forge.url.replace("//", `//ann:${OPERATOR_TOKEN}@`);
  const identity = ["-c", "user.name=ann", "-c", "user.email=ann@example.invalid"];
  await git(["clone", "--quiet", `${url}/${OWNER}/${REPOSITORY}.git`, path], { cwd: root });
  await git([...identity, "commit", "--quiet", "--allow-empty", "-m", "Change"], { cwd: path });
  await git(["push", "--quiet", "origin", "HEAD:refs/heads/change"], { cwd: path });
  const ann = operator(forge.url);
  return (
    await ann.call<{ number: number }>("POST", "/pulls", { title: "Change", head: "change", base: "main" })
  ).number;
}
