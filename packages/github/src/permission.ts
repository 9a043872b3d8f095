import {
  type Account,
  HiveError,
  mayInstruct,
  type Permission,
  type RepositoryName,
  repositoryKey,
} from "@worktree-hive/domain";
import { bareLogin } from "./read-account.ts";
import type { Transport } from "./transport.ts";

const FRESH_MS = 5 * 60_000;

export interface Permissions {
  permissionOf(name: RepositoryName, login: string): Promise<Permission>;
  /** People by their permission; bots only from the list of trusted ones (S26). */
  mayInstruct(name: RepositoryName, account: Account): Promise<boolean>;
}

/** Permissions as the forge says them, remembered for five minutes. `author_association` is never asked. */
export function createPermissions(
  transport: Transport,
  trustedBots: readonly (string | number)[],
): Permissions {
  const known = new Map<string, { readonly permission: Permission; readonly at: number }>();
  const trusted = new Set(trustedBots.map((bot) => (typeof bot === "number" ? bot : bareLogin(bot))));

  async function permissionOf(name: RepositoryName, login: string): Promise<Permission> {
    const key = `${repositoryKey(name)} ${login.toLowerCase()}`;
    const now = transport.clock.now().getTime();
    const entry = known.get(key);
    if (entry !== undefined && now - entry.at < FRESH_MS) return entry.permission;
    const permission = await readPermission(transport, name, login);
    if (permission === null) return "none";
    known.set(key, { permission, at: now });
    return permission;
  }

  return {
    permissionOf,
    mayInstruct: async (name, account) => {
      if (account.kind === "bot") {
        return trusted.has(bareLogin(account.login)) || (account.id !== null && trusted.has(account.id));
      }
      // A deleted account has no id and whoever takes its name next is somebody else.
      return account.id !== null && mayInstruct(await permissionOf(name, account.login));
    },
  };
}

/** Null when the forge fails to say, which is not worth remembering. */
async function readPermission(
  transport: Transport,
  name: RepositoryName,
  login: string,
): Promise<Permission | null> {
  try {
    const { data } = await transport.rest.repos.getCollaboratorPermissionLevel({
      owner: name.owner,
      repo: name.name,
      username: login,
    });
    return toPermission(data.permission);
  } catch (error) {
    if (!(error instanceof HiveError) || error.kind === "limited") throw error;
    return error.kind === "invalid" || error.kind === "denied" ? "none" : null;
  }
}

function toPermission(word: string): Permission {
  if (word === "admin" || word === "write" || word === "read") return word;
  // Newer answers may spell the finer roles.
  if (word === "maintain") return "write";
  return word === "triage" ? "read" : "none";
}
