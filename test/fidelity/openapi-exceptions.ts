/** Where the forge is right and GitHub's description is not, or where we chose to differ; each with its reason. */
export interface Exception {
  operation: string;
  status: number;
  reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    operation: "repos/create-or-update-file-contents",
    status: 409,
    reason: "the two shapes of its oneOf require nothing, so every plain error matches both of them",
  },
  {
    operation: "repos/list-webhooks",
    status: 403,
    reason:
      "the description has no 403 here, yet an App without repository_hooks gets 'Resource not accessible by integration'",
  },
];
