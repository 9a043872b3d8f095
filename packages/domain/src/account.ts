/** Somebody on the forge. Compare by `id`; logins of bots differ between REST and GraphQL (S23). */
export interface Account {
  readonly id: number | null;
  readonly login: string;
  readonly kind: "human" | "bot";
}

/** What the forge says an account may do in a repository. */
export type Permission = "admin" | "write" | "read" | "none";

/** Only people with write permission or more may instruct the hive (`author_association` is never asked, S26). */
export function mayInstruct(permission: Permission): boolean {
  return permission === "admin" || permission === "write";
}
