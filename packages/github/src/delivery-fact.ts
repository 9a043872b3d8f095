import type { Account, RepositoryName, Sha } from "@worktree-hive/domain";

/** What a delivery is about: a hint of what to read afresh, never a fact to act on. */
export type DeliveryFact =
  | {
      readonly kind: "pull";
      readonly repository: RepositoryName;
      readonly number: number;
      readonly head: Sha;
      readonly branch: string;
      readonly action: string;
    }
  | {
      readonly kind: "checks";
      readonly repository: RepositoryName;
      readonly head: Sha;
      /** Null for a fork. */
      readonly branch: string | null;
      /** Pull requests as the forge guessed them; empty for forks, so look up by head too (S10). */
      readonly numbers: readonly number[];
    }
  | {
      readonly kind: "issue";
      readonly repository: RepositoryName;
      readonly number: number;
      readonly action: string;
      readonly label?: string;
    }
  | {
      readonly kind: "comment";
      readonly repository: RepositoryName;
      readonly number: number;
      readonly isPull: boolean;
      readonly action: string;
      readonly commentId: number;
      readonly author: Account;
      readonly body: string;
    }
  | {
      readonly kind: "push";
      readonly repository: RepositoryName;
      readonly branch: string;
      readonly head: Sha;
    }
  | { readonly kind: "ping" }
  | { readonly kind: "ignored"; readonly why: string };

export function ignored(why: string): DeliveryFact {
  return { kind: "ignored", why };
}
