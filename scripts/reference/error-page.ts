import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { git } from "@worktree-hive/exec";

export interface MadeError {
  readonly code: string;
  readonly kind: string;
  /** The package or app that makes it. */
  readonly owner: string;
  /** As far as it stands in the source; what is put in at run time is shown as `…`. */
  readonly message: string;
}

const KINDS = ["retryable", "limited", "conflict", "denied", "invalid", "bug"] as const;

/** Codes that are put together at run time, so that no pattern finds them. */
const COMPUTED: readonly MadeError[] = [
  ["FORGE_DENIED", "denied", "The forge answered 401 or 403."],
  ["FORGE_NOT_FOUND", "invalid", "The forge answered 404 or 410."],
  ["FORGE_CONFLICT", "conflict", "The forge answered 409."],
  ["FORGE_UNAVAILABLE", "retryable", "The forge answered 5xx, or not at all."],
  ["FORGE_INVALID", "invalid", "The forge answered another 4xx."],
]
  .map(([code = "", kind = "", message = ""]) => ({ code, kind, message, owner: "github" }))
  .concat([
    { code: "PORT_TAKEN", kind: "invalid", message: "… is taken by another program", owner: "hive" },
    { code: "JOB_NOT_FOUND", kind: "invalid", message: "no job …", owner: "control-plane" },
    { code: "RUN_NOT_FOUND", kind: "invalid", message: "no run …", owner: "control-plane" },
    {
      code: "TRANSCRIPT_NOT_FOUND",
      kind: "invalid",
      message: "this host has no transcript of run …",
      owner: "control-plane",
    },
  ]);

/** Errors of the two packages below the domain, which cannot know `HiveError`. */
const BELOW = ["COMMAND_NOT_FOUND", "CWD_MISSING", "LOG_SECRET_TOO_SHORT"];

const HANDLING: Readonly<Record<(typeof KINDS)[number], string>> = {
  retryable: "the wake is tried again with back-off; HTTP 503",
  limited: "the wake is put back for `retryAfterMs`, no attempt spent; HTTP 503 with `Retry-After`",
  conflict: "the tick gives way: somebody else works on the job; HTTP 409",
  denied: "refused for good: the effect ends as failed and the job hears of it; HTTP 403",
  invalid:
    "wrong for good: the effect ends as failed and the job hears of it; HTTP 400, 404 for `…_NOT_FOUND`",
  bug: "an impossible state: the wake fails and is not tried again; HTTP 500 without detail",
};

/** Every error that the sources of the product make, sorted by code. */
export async function madeErrors(root: string): Promise<MadeError[]> {
  const listed = await git(
    [
      "ls-files",
      "-z",
      "--cached",
      "--others",
      "--exclude-standard",
      "--",
      "packages/*/src/*.ts",
      "apps/*/src/*.ts",
    ],
    { cwd: root },
  );
  const paths = [...new Set(listed.stdout.toString().split("\0").filter(isProduct))].filter((path) =>
    existsSync(join(root, path)),
  );
  const found = await Promise.all(
    paths.map(async (path) => errorsIn(await readFile(join(root, path), "utf8"), path.split("/")[1] ?? "")),
  );
  const byCode = new Map<string, MadeError>();
  for (const error of [...found.flat(), ...COMPUTED]) {
    if (!byCode.has(`${error.code} ${error.kind}`)) byCode.set(`${error.code} ${error.kind}`, error);
  }
  return [...byCode.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}

function isProduct(path: string): boolean {
  return path.endsWith(".ts") && !path.endsWith(".test.ts") && !/\/testing\/|\/testkit\//.test(path);
}

function errorsIn(text: string, owner: string): MadeError[] {
  const made = /new HiveError\(\s*"([A-Z_]+)",\s*"([a-z]+)",\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)?/g;
  return [...text.matchAll(made)].map(({ index, 1: code = "", 2: kind = "", 3: plain, 4: template }) => {
    const message = plain ?? template ?? textBefore(text.slice(0, index));
    return {
      code,
      kind,
      owner,
      message: message
        .replace(/\$\{[^}]*\}/g, "…")
        .replace(/\\n/g, " ")
        .replace(/\\(.)/g, "$1"),
    };
  });
}

/** A long message stands in `const text` right before the error is made. */
function textBefore(source: string): string {
  const last = [...source.slice(-400).matchAll(/const text = [`"](.*)[`"];/g)].at(-1);
  return last?.[1] ?? "(the reason, in words)";
}

/** The text of `docs/reference/errors.md`. */
export async function errorReference(root: string): Promise<string> {
  const errors = await madeErrors(root);
  return [
    "# Errors",
    "",
    "Written by `npm run docs` from the sources; do not edit it by hand.",
    "",
    "Every error of the product is a `HiveError`: a stable `code`, a `kind` that decides how it is handled, a message and often a hint. `--json` and the API give the code; [cli.md](cli.md) has the exit codes. Expected outcomes (a verdict, a held lease, how a run ended) are values and not listed here.",
    "",
    "## Kinds",
    "",
    "| kind | what happens |",
    "|---|---|",
    ...KINDS.map((kind) => `| \`${kind}\` | ${HANDLING[kind]} |`),
    "",
    "## Codes",
    "",
    "| code | kind | made in | message |",
    "|---|---|---|---|",
    ...errors.map(
      ({ code, kind, owner, message }) =>
        `| \`${code}\` | ${kind} | ${owner} | ${message.replaceAll("|", "\\|").replaceAll("\n", " ")} |`,
    ),
    "",
    `Packages below the domain have small errors of their own: ${BELOW.map((code) => `\`${code}\``).join(", ")}. The fake forge's start-up errors are in its README.`,
    "",
  ].join("\n");
}
