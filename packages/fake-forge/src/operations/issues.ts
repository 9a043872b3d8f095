import type { Forge } from "../forge.ts";
import type { Issue } from "../state/issues.ts";
import { isPull } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { announceIssue, announcePull } from "../webhooks/announce.ts";

export interface NewIssue {
  title: string;
  body: string | null;
  labels: readonly string[];
  assignees: readonly string[];
}

/** A number of the sequence that issues and pull requests share. */
export function takeNumber(repo: Repository): number {
  const number = repo.nextNumber;
  repo.nextNumber += 1;
  return number;
}

/** Opens an issue and announces it, with one `labeled` for each label. */
export function createIssue(forge: Forge, repo: Repository, login: string, input: NewIssue): Issue {
  const now = forge.now();
  const issue: Issue = {
    id: forge.nextId(),
    repositoryId: repo.id,
    number: takeNumber(repo),
    title: input.title,
    body: input.body,
    author: login,
    state: "open",
    stateReason: null,
    labels: [],
    assignees: [...input.assignees],
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedBy: null,
    pull: null,
  };
  ensureLabels(forge, repo, input.labels);
  issue.labels = [...input.labels];
  forge.state.issues.push(issue);
  forge.changed();
  announceIssue(forge, repo, issue, "opened", login, {});
  for (const name of input.labels) announceIssue(forge, repo, issue, "labeled", login, { label: name });
  return issue;
}

/** Labels that do not exist are made, as GitHub does when one is put on an issue. */
function ensureLabels(forge: Forge, repo: Repository, names: readonly string[]): void {
  for (const name of names) {
    if (repo.labels.some((it) => it.name === name)) continue;
    repo.labels.push({ id: forge.nextId(), name, color: "ededed", description: null });
  }
}

/** Adds or removes one label and announces it; true when something changed. */
export async function setLabel(
  forge: Forge,
  repo: Repository,
  issue: Issue,
  login: string,
  name: string,
  on: boolean,
): Promise<boolean> {
  if (issue.labels.includes(name) === on) return false;
  ensureLabels(forge, repo, [name]);
  issue.labels = on ? [...issue.labels, name] : issue.labels.filter((it) => it !== name);
  issue.updatedAt = forge.now();
  forge.changed();
  const action = on ? "labeled" : "unlabeled";
  if (isPull(issue)) await announcePull(forge, repo, issue, action, login, { label: name });
  else announceIssue(forge, repo, issue, action, login, { label: name });
  return true;
}

/** Closes an issue, or a pull request without merging it. */
export async function closeIssue(
  forge: Forge,
  repo: Repository,
  issue: Issue,
  login: string,
  reason: Issue["stateReason"],
): Promise<void> {
  if (issue.state === "closed") return;
  const now = forge.now();
  Object.assign(issue, {
    state: "closed",
    stateReason: reason,
    closedAt: now,
    closedBy: login,
    updatedAt: now,
  });
  forge.changed();
  if (isPull(issue)) await announcePull(forge, repo, issue, "closed", login, {});
  else announceIssue(forge, repo, issue, "closed", login, {});
}

/** Opens a closed issue again. */
export async function reopenIssue(
  forge: Forge,
  repo: Repository,
  issue: Issue,
  login: string,
): Promise<void> {
  if (issue.state === "open") return;
  const reason = isPull(issue) ? null : "reopened";
  Object.assign(issue, {
    state: "open",
    stateReason: reason,
    closedAt: null,
    closedBy: null,
    updatedAt: forge.now(),
  });
  forge.changed();
  if (isPull(issue)) await announcePull(forge, repo, issue, "reopened", login, {});
  else announceIssue(forge, repo, issue, "reopened", login, {});
}

/** Changes title or body and announces what they were. */
export async function editIssue(
  forge: Forge,
  repo: Repository,
  issue: Issue,
  login: string,
  input: {
    title?: string | undefined;
    body?: string | null | undefined;
    base?: { ref: string; sha: string } | undefined;
  },
): Promise<void> {
  const changes: Record<string, unknown> = {};
  if (input.title !== undefined && input.title !== issue.title) {
    changes.title = { from: issue.title };
    issue.title = input.title;
  }
  if (input.body !== undefined && input.body !== issue.body) {
    changes.body = { from: issue.body ?? "" };
    issue.body = input.body;
  }
  if (input.base !== undefined && isPull(issue) && input.base.ref !== issue.pull.baseRef) {
    changes.base = { ref: { from: issue.pull.baseRef }, sha: { from: issue.pull.baseSha } };
    issue.pull.baseRef = input.base.ref;
    issue.pull.baseSha = input.base.sha;
    issue.pull.mergeable = "unknown";
  }
  if (Object.keys(changes).length === 0) return;
  issue.updatedAt = forge.now();
  forge.changed();
  if (isPull(issue)) await announcePull(forge, repo, issue, "edited", login, { changes });
  else announceIssue(forge, repo, issue, "edited", login, { changes });
}
