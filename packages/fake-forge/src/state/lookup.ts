import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Account } from "./accounts.ts";
import type { CheckRun, CheckSuite } from "./checks.ts";
import type { Issue, Pull } from "./issues.ts";
import type { Repository } from "./repositories.ts";
import type { ReviewThread } from "./reviews.ts";

export function fullName(repo: Pick<Repository, "owner" | "name">): string {
  return `${repo.owner}/${repo.name}`;
}

/** The account behind a stored login. Accounts that were never seeded are ghosts, as on GitHub. */
export function accountOf(forge: Forge, login: string): Account {
  return (
    findAccount(forge, login) ?? {
      id: 10_137,
      login: "ghost",
      type: "User",
      name: null,
      restLogin: null,
      createdAt: "2008-05-13T06:14:25Z",
    }
  );
}

/** Finds by login in either spelling (`hive`, `hive[bot]`), whatever its case. */
export function findAccount(forge: Forge, login: string): Account | null {
  const wanted = login.toLowerCase();
  const same = (it: Account): boolean =>
    it.login.toLowerCase() === wanted || restLogin(it).toLowerCase() === wanted;
  return forge.state.accounts.find(same) ?? null;
}

/** The login REST shows: bots carry `[bot]` (babysit 2.1). */
export function restLogin(account: Account): string {
  return account.restLogin ?? (account.type === "Bot" ? `${account.login}[bot]` : account.login);
}

export function findRepository(forge: Forge, owner: string, name: string): Repository | null {
  const wanted = `${owner}/${name}`.toLowerCase();
  return forge.state.repositories.find((it) => fullName(it).toLowerCase() === wanted) ?? null;
}

export function repositoryOf(forge: Forge, id: number): Repository {
  const found = forge.state.repositories.find((it) => it.id === id);
  if (found === undefined) throw notFound();
  return found;
}

export function findIssue(forge: Forge, repo: Repository, number: number): Issue {
  const found = forge.state.issues.find((it) => it.repositoryId === repo.id && it.number === number);
  if (found === undefined) throw notFound();
  return found;
}

export function issueOf(forge: Forge, id: number): Issue {
  const found = forge.state.issues.find((it) => it.id === id);
  if (found === undefined) throw notFound();
  return found;
}

export function isPull(issue: Issue): issue is Pull {
  return issue.pull !== null;
}

export function findPull(forge: Forge, repo: Repository, number: number): Pull {
  const issue = findIssue(forge, repo, number);
  if (!isPull(issue)) throw notFound();
  return issue;
}

export function pullsOf(forge: Forge, repo: Repository): Pull[] {
  return forge.state.issues.filter((it) => it.repositoryId === repo.id).filter(isPull);
}

export function threadsOf(forge: Forge, issue: Issue): ReviewThread[] {
  return forge.state.threads.filter((it) => it.issueId === issue.id);
}

export function suiteOf(forge: Forge, run: CheckRun): CheckSuite {
  const found = forge.state.suites.find((it) => it.id === run.suiteId);
  if (found === undefined) throw notFound();
  return found;
}

/** Check runs on one commit; superseded attempts are left out unless `all`. */
export function checkRunsOn(
  forge: Forge,
  repo: Repository,
  sha: string,
  filter: "latest" | "all",
): CheckRun[] {
  const suites = new Set(suitesOn(forge, repo, sha).map((it) => it.id));
  const runs = forge.state.checkRuns.filter((it) => suites.has(it.suiteId));
  if (filter === "all") return runs;
  return runs.filter(
    (it) => !runs.some((other) => other.suiteId === it.suiteId && other.name === it.name && other.id > it.id),
  );
}

export function suitesOn(forge: Forge, repo: Repository, sha: string): CheckSuite[] {
  return forge.state.suites.filter((it) => it.repositoryId === repo.id && it.headSha === sha);
}
