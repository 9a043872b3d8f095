/** Where the forge is right and GitHub's description is not, or where we chose to differ; each with its reason. */
export interface Exception {
  operation: string;
  status: number;
  /** Only these problems are excused; all of the answer unless given. */
  problems?: RegExp;
  reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    operation: "repos/create-or-update-file-contents",
    status: 409,
    reason: "the two shapes of its oneOf require nothing, so every plain error matches both of them",
  },
  ...(
    [
      ["pulls/list-review-comments", 200],
      ["pulls/create-reply-for-review-comment", 201],
    ] as const
  ).map(([operation, status]) => ({
    operation,
    status,
    problems: /^(\/\d+)?\/(position|line) must be integer$/,
    reason: "outdated comments have null here, as GitHub's own webhook schemas say",
  })),
];

/**
 * Statuses that GitHub's guides give to any operation, while its description has them with some only. Their bodies
 * are judged all the same: by `basic-error`, or empty.
 */
export const EVERYWHERE: Readonly<Record<number, string>> = {
  304: "any GET with a matching If-None-Match (guide: best practices)",
  401: "bad credentials (guide: authenticating to the REST API)",
  403: "a token without the permission: 'Resource not accessible by integration' (guide: troubleshooting)",
  404: "what does not exist, or what the token may not see (guide: troubleshooting)",
};

/** Answers that a client asked for as text by its Accept header: the description has the JSON of the same path only. */
export const TEXTS = /^application\/vnd\.github\.v3\.(diff|patch);/;

/** The exception that fits an answer with these problems; null when there is none. */
export function excuseFor(
  operation: string | null,
  status: number,
  problems: readonly string[],
): Exception | null {
  const fits = ({ problems: excused }: Exception): boolean =>
    excused === undefined || problems.every((problem) => excused.test(problem));
  return EXCEPTIONS.find((it) => it.operation === operation && it.status === status && fits(it)) ?? null;
}
