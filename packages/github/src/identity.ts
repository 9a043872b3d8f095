import { type Account, HiveError } from "@worktree-hive/domain";
import { ViewerAnswer } from "./answers.ts";
import { VIEWER } from "./documents/viewer.ts";
import { accountOfUser } from "./read-account.ts";
import type { Transport } from "./transport.ts";

/** Asks once who the token belongs to; a failure is not remembered. */
export function createIdentity(transport: Transport): () => Promise<Account> {
  let known: Promise<Account> | null = null;
  return () => {
    known ??= readIdentity(transport).catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
}

async function readIdentity(transport: Transport): Promise<Account> {
  try {
    const { data } = await transport.rest.users.getAuthenticated();
    return accountOfUser(data);
  } catch (error) {
    // An installation token gets 403 here and is the viewer of GraphQL, typed as a user with a bot's login.
    if (!(error instanceof HiveError) || error.context.status !== 403) throw error;
    const { viewer } = await transport.query(VIEWER, {}, ViewerAnswer);
    return { id: viewer.databaseId, login: viewer.login, kind: "bot" };
  }
}
