import type { RepositoryName, Verdict } from "@worktree-hive/domain";
import { type ApiPath, parseApiPath } from "./api-path.ts";
import { allow, deny } from "./rule.ts";

export interface RestRequest {
  readonly method: string;
  /** As the client sent it: path with query, or a full URL. */
  readonly path: string;
  readonly repository: RepositoryName;
  /** When given, single pull requests other than this one are refused. */
  readonly allowedPull?: number;
}

/** Reads below `/repos/{owner}/{repo}`; a segment is a literal, `#` a number, `*` one segment, `**` one or more. */
const READS: readonly string[] = [
  "",
  "pulls",
  "pulls/#",
  "pulls/#/files",
  "pulls/#/commits",
  "pulls/#/comments",
  "pulls/#/reviews",
  "pulls/#/reviews/#",
  "pulls/#/reviews/#/comments",
  "pulls/#/requested_reviewers",
  "pulls/comments",
  "pulls/comments/#",
  "issues",
  "issues/#",
  "issues/#/comments",
  "issues/#/events",
  "issues/#/labels",
  "issues/#/timeline",
  "issues/comments",
  "issues/comments/#",
  "labels",
  "milestones",
  "milestones/#",
  "commits",
  "commits/**",
  "compare/**",
  "check-runs/#",
  "check-runs/#/annotations",
  "check-suites/#",
  "check-suites/#/check-runs",
  "actions/runs",
  "actions/runs/#",
  "actions/runs/#/jobs",
  "actions/runs/#/logs",
  "actions/runs/#/artifacts",
  "actions/runs/#/attempts/#",
  "actions/runs/#/attempts/#/jobs",
  "actions/runs/#/attempts/#/logs",
  "actions/jobs/#",
  "actions/jobs/#/logs",
  "actions/workflows",
  "actions/workflows/*",
  "actions/workflows/*/runs",
  "branches",
  "branches/**",
  "contents",
  "contents/**",
  "git/ref/**",
  "git/matching-refs/**",
  "git/commits/*",
  "git/trees/**",
  "git/blobs/*",
  "git/tags/*",
  "languages",
  "readme",
  "releases",
  "releases/latest",
  "releases/#",
  "releases/tags/**",
  "tags",
];

const shapes = READS.map((text) => text.split("/").filter((segment) => segment !== ""));

/**
 * Judges one REST request: reads of the job's own repository by list, everything else is refused. The refusal names
 * the door that was tried (S40).
 */
export function judgeRest(request: RestRequest): Verdict {
  const path = parseApiPath(request.path);
  if (path === null) return deny("api.malformed");
  const method = request.method.toUpperCase();
  if (method !== "GET" && method !== "HEAD") return deny(doorOf(method, path));
  if (path.segments.length === 1 && path.segments[0] === "rate_limit") return allow("api.read", "rate limit");
  const [root = "", owner = "", name = "", ...rest] = path.segments;
  if (root.toLowerCase() !== "repos" || name === "") return deny("api.unlisted");
  if (!sameName(request.repository, { owner, name })) return deny("api.other-repository");
  if (!shapes.some((shape) => matches(shape, rest))) return deny("api.unlisted");
  const [kind, number] = rest;
  const other = kind === "pulls" && /^\d+$/.test(number ?? "") && Number(number) !== request.allowedPull;
  if (request.allowedPull !== undefined && other) return deny("api.other-pull");
  return allow("api.read", "a read of the own repository");
}

/** True for the same repository; GitHub compares without case (WH-134). */
export function sameName(one: RepositoryName, other: RepositoryName): boolean {
  return (
    one.owner.toLowerCase() === other.owner.toLowerCase() &&
    one.name.toLowerCase() === other.name.toLowerCase()
  );
}

function matches(shape: readonly string[], segments: readonly string[]): boolean {
  const open = shape.at(-1) === "**";
  const fixed = open ? shape.slice(0, -1) : shape;
  if (open ? segments.length <= fixed.length : segments.length !== fixed.length) return false;
  return fixed.every((expected, index) => {
    const segment = segments[index] ?? "";
    if (expected === "*") return true;
    return expected === "#" ? /^\d{1,18}$/.test(segment) : segment === expected;
  });
}

/** The rule of a refused write, by where it goes; compared without case, as a lenient server might. */
function doorOf(method: string, { segments }: ApiPath): string {
  const path = segments.map((segment) => segment.toLowerCase()).slice(3);
  const [kind = "", second = "", third = ""] = path;
  if (kind === "pulls" && /^merge(-async)?$/.test(third)) return "merge.rest";
  if (kind === "pulls" && third === "update-branch") return "merge.rest-branch";
  if (kind === "merges" || kind === "merge-upstream") return "merge.rest-branch";
  if (kind === "git" || kind === "contents" || (kind === "branches" && /^(rename|protection)$/.test(third))) {
    return "ref.rest-write";
  }
  if (kind === "rulesets" || (path.length === 0 && method !== "POST") || kind === "collaborators")
    return "policy.repo";
  if (kind === "dispatches" || (kind === "actions" && second !== "")) return "merge.proxy";
  return "api.write";
}
