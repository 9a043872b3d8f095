import { HiveError, type RepositoryName, repositorySlug } from "@worktree-hive/domain";

/** What the text of a failed contact with the forge says. */
export type RemoteFailure = "auth" | "stale" | "protected" | "rule" | "workflow" | "rejected" | "unreachable";

/*
 * Git has no machine-readable form for these; the texts are git's own in the C locale and GitHub's stable codes
 * (S39). The order matters: the most specific first.
 */
const SIGNS: readonly (readonly [RemoteFailure, RegExp])[] = [
  ["workflow", /refusing to allow .* (?:create or )?update workflow/i],
  ["rule", /\bGH013\b/],
  ["protected", /\bGH006\b/],
  ["stale", /\(stale info\)|\(fetch first\)|\(non-fast-forward\)|cannot lock ref/],
  [
    "auth",
    /Authentication failed|could not read Username|error: 40[13]\b|HTTP 40[13]\b|Permission to .* denied/i,
  ],
  ["auth", /repository '.*' not found|error: 404\b|Repository not found/i],
  ["rejected", /\[remote rejected\]|\[rejected\]|pre-receive hook declined/],
];

/** Classifies the redacted output of a failed git command; what nothing explains counts as unreachable. */
export function classifyFailure(text: string): RemoteFailure {
  return SIGNS.find(([, sign]) => sign.test(text))?.[0] ?? "unreachable";
}

/** The error of a failed fetch or look-up: `HUB_AUTH` (denied) or `HUB_UNREACHABLE` (retryable). */
export function hubError(repository: RepositoryName, stderr: string): HiveError {
  const slug = repositorySlug(repository);
  const context = { repository: slug, stderr: stderr.slice(-2000) };
  if (classifyFailure(stderr) === "auth") {
    return new HiveError("HUB_AUTH", "denied", `the forge refused access to ${slug}`, {
      hint: "check that the token or app installation covers the repository with contents: write",
      context,
    });
  }
  return new HiveError("HUB_UNREACHABLE", "retryable", `${slug} could not be reached`, { context });
}
