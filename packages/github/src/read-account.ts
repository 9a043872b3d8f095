import type { Account } from "@worktree-hive/domain";
import type { z } from "zod";
import type { ActorAnswer } from "./answers.ts";

/** What the forge shows for an account that was deleted. */
const GHOST: Account = { id: null, login: "ghost", kind: "human" };

export function accountOfActor(actor: z.infer<typeof ActorAnswer>): Account {
  if (actor === null) return GHOST;
  const { login, databaseId } = actor;
  return { id: databaseId ?? null, login, kind: actor.__typename === "Bot" ? "bot" : "human" };
}

/** An account as REST gives it; `type` tells a bot, the spelling of the login does not (S23). */
export function accountOfUser(
  user: { readonly id: number; readonly login: string; readonly type?: string } | null | undefined,
): Account {
  if (user === null || user === undefined) return GHOST;
  return { id: user.id, login: user.login, kind: user.type === "Bot" ? "bot" : "human" };
}

/** True for one and the same account: by id where both have one, else by kind and login without `[bot]`. */
export function isSameAccount(one: Account, other: Account): boolean {
  if (one.id !== null && other.id !== null) return one.id === other.id;
  return one.kind === other.kind && bareLogin(one.login) === bareLogin(other.login);
}

export function bareLogin(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, "");
}
