import type { Forge } from "../forge.ts";
import { nodeId } from "../ids.ts";
import type { Json } from "../render/json.ts";
import type { Account } from "../state/accounts.ts";
import { accountOf } from "../state/lookup.ts";

/** A User, Bot or Organization. Bots have no suffix here: `hive`, `__typename: Bot` (babysit 2.1). */
export function accountView(forge: Forge, account: Account): Json {
  const path = account.type === "Bot" ? `/apps/${account.login}` : `/${account.login}`;
  return {
    __typename: account.type,
    id: nodeId(account.type, account.id),
    databaseId: account.id,
    login: account.login,
    name: account.name,
    email: "",
    avatarUrl: `${forge.url}/_avatars/${account.id}`,
    resourcePath: path,
    url: `${forge.url}${path}`,
    createdAt: account.createdAt,
    isViewer: (_args: unknown, context: { viewer: { account: Account } }) =>
      context.viewer.account.id === account.id,
  };
}

export function actorView(forge: Forge, login: string): Json {
  return accountView(forge, accountOf(forge, login));
}

export function maybeActor(forge: Forge, login: string | null): Json | null {
  return login === null ? null : actorView(forge, login);
}
