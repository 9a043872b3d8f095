import type { Forge } from "../forge.ts";
import { nodeId } from "../ids.ts";
import { fullName } from "../state/lookup.ts";
import type { Label, Repository } from "../state/repositories.ts";
import { renderLogin } from "./account.ts";
import type { Json } from "./json.ts";

export function repositoryUrl(forge: Forge, repo: Repository): string {
  return `${forge.url}/repos/${fullName(repo)}`;
}

export function repositoryPage(forge: Forge, repo: Repository): string {
  return `${forge.url}/${fullName(repo)}`;
}

/** Link templates by field, below the repository's own URL. */
const LINKS: Record<string, string> = {
  forks_url: "/forks",
  keys_url: "/keys{/key_id}",
  collaborators_url: "/collaborators{/collaborator}",
  teams_url: "/teams",
  hooks_url: "/hooks",
  issue_events_url: "/issues/events{/number}",
  events_url: "/events",
  assignees_url: "/assignees{/user}",
  branches_url: "/branches{/branch}",
  tags_url: "/tags",
  blobs_url: "/git/blobs{/sha}",
  git_tags_url: "/git/tags{/sha}",
  git_refs_url: "/git/refs{/sha}",
  trees_url: "/git/trees{/sha}",
  statuses_url: "/statuses/{sha}",
  languages_url: "/languages",
  stargazers_url: "/stargazers",
  contributors_url: "/contributors",
  subscribers_url: "/subscribers",
  subscription_url: "/subscription",
  commits_url: "/commits{/sha}",
  git_commits_url: "/git/commits{/sha}",
  comments_url: "/comments{/number}",
  issue_comment_url: "/issues/comments{/number}",
  contents_url: "/contents/{+path}",
  compare_url: "/compare/{base}...{head}",
  merges_url: "/merges",
  archive_url: "/{archive_format}{/ref}",
  downloads_url: "/downloads",
  issues_url: "/issues{/number}",
  pulls_url: "/pulls{/number}",
  milestones_url: "/milestones{/number}",
  notifications_url: "/notifications{?since,all,participating}",
  labels_url: "/labels{/name}",
  releases_url: "/releases{/id}",
  deployments_url: "/deployments",
};

/** `minimal-repository`: identity and links. */
export function renderMinimalRepository(forge: Forge, repo: Repository): Json {
  const url = repositoryUrl(forge, repo);
  const links = Object.entries(LINKS).map(([field, path]) => [field, `${url}${path}`]);
  return {
    id: repo.id,
    node_id: nodeId("Repository", repo.id),
    name: repo.name,
    full_name: fullName(repo),
    private: repo.private,
    owner: renderLogin(forge, repo.owner),
    html_url: repositoryPage(forge, repo),
    description: repo.description,
    fork: false,
    url,
    ...Object.fromEntries(links),
  };
}

/** `repository`, as it also stands in webhooks. */
export function renderRepository(forge: Forge, repo: Repository): Json {
  const open = forge.state.issues.filter((it) => it.repositoryId === repo.id && it.state === "open").length;
  const page = repositoryPage(forge, repo);
  return {
    ...renderMinimalRepository(forge, repo),
    created_at: repo.createdAt,
    updated_at: repo.updatedAt,
    pushed_at: repo.pushedAt,
    git_url: `${page.replace(/^http/, "git")}.git`,
    ssh_url: `git@127.0.0.1:${fullName(repo)}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    homepage: null,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: false,
    has_downloads: false,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: open,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repo.private ? "private" : "public",
    forks: 0,
    open_issues: open,
    watchers: 0,
    default_branch: repo.defaultBranch,
    custom_properties: {},
  };
}

/** `full-repository`: one repository asked for by name. */
export function renderFullRepository(forge: Forge, repo: Repository, admin: boolean): Json {
  return {
    ...renderRepository(forge, repo),
    network_count: 0,
    subscribers_count: 0,
    ...(admin
      ? {
          allow_squash_merge: true,
          allow_merge_commit: true,
          allow_rebase_merge: true,
          allow_auto_merge: true,
          delete_branch_on_merge: repo.deleteBranchOnMerge,
        }
      : {}),
  };
}

export function renderLabel(forge: Forge, repo: Repository, label: Label): Json {
  return {
    id: label.id,
    node_id: nodeId("Label", label.id),
    url: `${repositoryUrl(forge, repo)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description,
  };
}

/** Labels of an issue, by name, in the repository's own form. */
export function renderLabels(forge: Forge, repo: Repository, names: readonly string[]): Json[] {
  return repo.labels.filter((it) => names.includes(it.name)).map((it) => renderLabel(forge, repo, it));
}
