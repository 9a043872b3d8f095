import { ApiError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Account, Level, Token } from "../state/accounts.ts";
import type { Issue } from "../state/issues.ts";
import { accountOf, fullName } from "../state/lookup.ts";
import type { Repository, Role } from "../state/repositories.ts";

/** The one who asks: a token and the account it acts as. */
export interface Viewer {
  token: Token;
  account: Account;
}

/** What an operation needs, such as `contents:write`. Several mean: one of them is enough. */
export type Need = `${string}:${Level}`;

type Granted = Level | "none";

const RANK: Record<Granted, number> = { none: 0, read: 1, write: 2, admin: 3 };
const ROLE_LEVEL: Record<Role, Granted> = {
  none: "none",
  read: "read",
  triage: "read",
  write: "write",
  maintain: "write",
  admin: "admin",
};
/** Scopes that someone without write may use in a repository they can read: to speak, not to change. */
const OPEN_TO_READERS = new Set(["issues", "pull_requests"]);

/** The role of an account in a repository. Installed Bots have none of their own: their token is the grant. */
export function roleOf(repo: Repository, account: Account): Role {
  if (account.login === repo.owner) return "admin";
  return repo.collaborators[account.login] ?? "none";
}

/** Whether the token reaches the repository beyond what everybody may see. */
function reaches(viewer: Viewer, repo: Repository): boolean {
  const { token, account } = viewer;
  if (token.admin) return true;
  if (token.repositories !== null && !token.repositories.includes(fullName(repo))) return false;
  return account.type === "Bot" || !repo.private || roleOf(repo, account) !== "none";
}

/** Whether the viewer may know that the repository exists. */
export function canSee(viewer: Viewer | null, repo: Repository): boolean {
  return !repo.private || (viewer !== null && reaches(viewer, repo));
}

/** What the viewer may do with one permission scope of a repository. */
function levelOf(viewer: Viewer | null, repo: Repository, scope: string): Granted {
  const open: Granted = repo.private || scope === "administration" ? "none" : "read";
  if (viewer === null || !reaches(viewer, repo)) return open;
  const { token, account } = viewer;
  if (token.admin) return "admin";
  const granted = grantOf(token, scope);
  if (account.type === "Bot") return higher(granted, open);
  const role = roleOf(repo, account);
  const may =
    OPEN_TO_READERS.has(scope) && !repo.private ? higher(ROLE_LEVEL[role], "write") : ROLE_LEVEL[role];
  return higher(lower(granted, may), open);
}

function grantOf(token: Token, scope: string): Granted {
  if (token.permissions === null) return "admin";
  return scope === "metadata" ? "read" : (token.permissions[scope] ?? "none");
}

function higher(a: Granted, b: Granted): Granted {
  return RANK[a] >= RANK[b] ? a : b;
}

function lower(a: Granted, b: Granted): Granted {
  return RANK[a] <= RANK[b] ? a : b;
}

/** Whether the viewer has one of `needs`. */
export function permits(viewer: Viewer | null, repo: Repository, needs: readonly Need[]): boolean {
  return needs.some((need) => {
    const [scope, wanted] = need.split(":") as [string, Level];
    return RANK[levelOf(viewer, repo, scope)] >= RANK[wanted];
  });
}

/** Answers 401, 404 or 403 the way GitHub does, or lets the caller through. */
export function requireAccess(viewer: Viewer | null, repo: Repository, needs: readonly Need[]): void {
  if (!canSee(viewer, repo))
    throw viewer === null ? new ApiError(401, "Requires authentication") : notFound();
  if (permits(viewer, repo, needs)) return;
  if (viewer === null) throw new ApiError(401, "Requires authentication");
  throw new ApiError(403, refusal(viewer));
}

/** GitHub's words for a token that lacks a permission. */
export function refusal(viewer: Viewer): string {
  return viewer.account.type === "Bot"
    ? "Resource not accessible by integration"
    : "Resource not accessible by personal access token";
}

/** To label, edit or close takes triage for a person, unless it is their own; a Bot's token was asked already. */
export function requireTriage(viewer: Viewer, repo: Repository, issue: Pick<Issue, "author"> | null): void {
  const { account, token } = viewer;
  if (account.type === "Bot" || token.admin || account.login === issue?.author) return;
  if (!["none", "read"].includes(roleOf(repo, account))) return;
  throw new ApiError(403, "Must have admin rights to Repository.");
}

/** Whether a branch refuses pushes and merges of this login. */
export function isDenied(forge: Forge, repo: Repository, branch: string, login: string): boolean {
  const rule = repo.protectedBranches.find((it) => it.name === branch);
  if (rule === undefined) return false;
  return rule.denied === null ? accountOf(forge, login).type === "Bot" : rule.denied.includes(login);
}
