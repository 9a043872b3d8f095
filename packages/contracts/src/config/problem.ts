import type { z } from "zod";
import { closest } from "./closest.ts";
import { keysAt } from "./known-keys.ts";

/** One thing wrong with a configuration file. */
export interface ConfigProblem {
  /** Where: `repositories[0].fix_budget`; empty for the file as a whole. */
  readonly path: string;
  /** What stands there; hidden where it may be a secret. */
  readonly value?: unknown;
  readonly message: string;
  /** The values that would be right, where there are few. */
  readonly allowed?: readonly string[];
  /** Line in the file, from 1. */
  readonly line?: number;
}

type Path = readonly PropertyKey[];

const SECRET_KEY = /token|secret|password|passphrase|credential|key/i;

/** A path as people write it: `repositories[0].name`. */
function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}

/** What the file holds at `path`. */
function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined,
    root,
  );
}

/** The problems behind one schema issue, without lines; unknown keys give one problem each. */
export function problemsOf(issue: z.core.$ZodIssue, root: unknown): { problem: ConfigProblem; path: Path }[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      problem: unknownKey([...issue.path, key], key, root),
    }));
  }
  const allowed = allowedOf(issue, root);
  const problem: ConfigProblem = {
    path: pathText(issue.path),
    ...shownValue(issue.path, root),
    message: messageOfIssue(issue, valueAt(root, issue.path), allowed),
    ...(allowed === undefined ? {} : { allowed }),
  };
  return [{ path: issue.path, problem }];
}

function unknownKey(path: Path, key: string, root: unknown): ConfigProblem {
  const known = keysAt(path.slice(0, -1), root);
  const near = closest(key, known);
  return {
    path: pathText(path),
    ...shownValue(path, root),
    message:
      near === null ? `"${key}" is not a known key` : `"${key}" is not a known key; did you mean "${near}"?`,
    allowed: known,
  };
}

function shownValue(path: Path, root: unknown): { value?: unknown } {
  const value = valueAt(root, path);
  if (value === undefined) return {};
  const last = path.findLast((part) => typeof part === "string");
  // `token_env` holds a name. People paste the token itself there, so it is hidden as well.
  const secret = path.includes("environment") || (typeof last === "string" && SECRET_KEY.test(last));
  return { value: secret ? "(hidden)" : value };
}

function allowedOf(issue: z.core.$ZodIssue, root: unknown): readonly string[] | undefined {
  if (issue.code === "invalid_value") return issue.values.map(String);
  if (issue.code === "invalid_union" && issue.discriminator !== undefined) {
    return pathText(issue.path).startsWith("agent") || valueAt(root, ["agent"]) === undefined
      ? ["acp", "command", "scripted"]
      : undefined;
  }
  return undefined;
}

function messageOfIssue(
  issue: z.core.$ZodIssue,
  value: unknown,
  allowed: readonly string[] | undefined,
): string {
  if (value === undefined && issue.code !== "custom") return "is missing";
  switch (issue.code) {
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "too_small":
      return issue.origin === "string" || issue.message.startsWith("must")
        ? ownMessage(issue.message, "must not be empty")
        : `must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
    case "invalid_type":
      return ownMessage(
        issue.message,
        `must be ${NOUNS[issue.expected] ?? issue.expected}, not ${nounOf(value)}`,
      );
    case "invalid_value":
    case "invalid_union":
      return didYouMean(`must be ${(allowed ?? []).map((word) => `"${word}"`).join(" or ")}`, value, allowed);
    default:
      return issue.message;
  }
}

/** Messages that the schema gives start with "must"; the library's own ones are replaced. */
function ownMessage(given: string, otherwise: string): string {
  return given.startsWith("must") ? given : otherwise;
}

function didYouMean(message: string, value: unknown, allowed: readonly string[] = []): string {
  const near = typeof value === "string" ? closest(value, allowed) : null;
  return near === null ? message : `${message}; did you mean "${near}"?`;
}

const NOUNS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

function nounOf(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" && !Number.isInteger(value)) return "a fraction";
  return NOUNS[typeof value] ?? typeof value;
}
