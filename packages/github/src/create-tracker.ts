import {
  type Account,
  githubIssueKey,
  type Issue,
  type RepositoryName,
  type Tracker,
} from "@worktree-hive/domain";
import { upsertComment } from "./marked-comment.ts";
import { accountOfUser } from "./read-account.ts";
import type { Transport } from "./transport.ts";

/** The `Tracker` port over GitHub issues. */
export function createTracker(transport: Transport, identity: () => Promise<Account>): Tracker {
  return {
    name: "github",
    issue: async (repository, number) => {
      const target = { owner: repository.owner, repo: repository.name, issue_number: number };
      const { data } = await transport.rest.issues.get(target);
      return toIssue(repository, data);
    },
    /** An issue must carry all the labels, as the forge's own filter has it. */
    openIssues: async (repository, selector) => {
      const found = await transport.paginate(transport.rest.issues.listForRepo, {
        owner: repository.owner,
        repo: repository.name,
        state: "open",
        sort: "created",
        direction: "asc",
        per_page: 100,
        ...(selector.labels.length === 0 ? {} : { labels: selector.labels.join(",") }),
      });
      return found.map((entry) => toIssue(repository, entry)).filter((issue) => !issue.isPull);
    },
    upsertComment: async (repository, number, comment) => {
      await upsertComment(transport, await identity(), repository, number, comment);
    },
  };
}

interface RestIssue {
  readonly number: number;
  readonly html_url: string;
  readonly title: string;
  readonly body?: string | null;
  readonly state: string;
  readonly user: { readonly id: number; readonly login: string; readonly type?: string } | null;
  readonly labels: readonly (string | { readonly name?: string | null })[];
  readonly pull_request?: unknown;
}

function toIssue(repository: RepositoryName, entry: RestIssue): Issue {
  return {
    tracker: "github",
    key: githubIssueKey(repository, entry.number),
    number: entry.number,
    url: entry.html_url,
    title: entry.title,
    repository,
    body: entry.body ?? "",
    author: accountOfUser(entry.user),
    open: entry.state === "open",
    labels: entry.labels.flatMap((label) => (typeof label === "string" ? [label] : (label.name ?? []))),
    isPull: entry.pull_request !== undefined && entry.pull_request !== null,
  };
}
