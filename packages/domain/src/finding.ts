import type { Sha } from "./repository.ts";

/** One thing wrong with the pull request. `fixable` says whether an agent may try. */
export type Finding =
  | {
      readonly kind: "check_failed";
      readonly fixable: boolean;
      readonly check: string;
      readonly conclusion: string;
      readonly required: boolean;
      readonly url: string | null;
      readonly logId: number | null;
      readonly summary: string | null;
      readonly head: Sha;
    }
  | { readonly kind: "check_missing"; readonly fixable: false; readonly check: string; readonly head: Sha }
  | {
      /** The forge wants a person: a run to approve, a workflow file to mend, a conclusion nobody knows (S07). */
      readonly kind: "check_needs_human";
      readonly fixable: false;
      readonly check: string;
      readonly conclusion: string;
      readonly url: string | null;
      readonly head: Sha;
    }
  | { readonly kind: "conflict"; readonly fixable: false; readonly base: string; readonly head: Sha }
  | {
      readonly kind: "thread_open";
      readonly fixable: true;
      readonly threadId: string;
      readonly rootCommentId: number;
      readonly path: string;
      readonly line: number | null;
      readonly author: string;
      /** What people who may instruct wrote, oldest first. */
      readonly said: readonly string[];
      readonly head: Sha;
    };

/** A finding in one line, for reports and the timeline. */
export function describeFinding(finding: Finding): string {
  switch (finding.kind) {
    case "check_failed":
      return `check "${finding.check}" ended with ${finding.conclusion}`;
    case "check_missing":
      return `required check "${finding.check}" never reported`;
    case "check_needs_human":
      return `check "${finding.check}" needs a person (${finding.conclusion})`;
    case "conflict":
      return `the branch conflicts with ${finding.base}`;
    case "thread_open":
      return `review thread by ${finding.author} on ${finding.path}${finding.line === null ? "" : `:${finding.line}`}`;
    default: {
      const impossible: never = finding;
      throw new Error(`unknown finding ${JSON.stringify(impossible)}`);
    }
  }
}
