import { HiveError, parseRepositorySlug, type RepositoryName } from "@worktree-hive/domain";

/** The issue that a person means by `https://host/owner/name/issues/12` or `owner/name#12`. */
export interface NamedIssue {
  readonly repository: RepositoryName;
  readonly number: number;
}

/**
 * Parses what an operator gave for an issue. `forgeUrl` is the base of the forge's pages; a page elsewhere is refused,
 * so that an address of another host never becomes an issue of this one. Throws `ISSUE_URL_INVALID`.
 */
export function parseIssueUrl(text: string, forgeUrl: string): NamedIssue {
  const short = /^([^/#\s]+\/[^/#\s]+)#(\d+)$/.exec(text.trim());
  const found = short === null ? fromPage(text.trim(), forgeUrl) : named(short[1], short[2]);
  if (found !== null) return found;
  throw new HiveError(
    "ISSUE_URL_INVALID",
    "invalid",
    `"${text.slice(0, 200)}" is not an issue of ${forgeUrl}`,
    {
      hint: `write ${forgeUrl.replace(/\/+$/, "")}/owner/name/issues/12 or owner/name#12`,
    },
  );
}

function fromPage(text: string, forgeUrl: string): NamedIssue | null {
  if (!URL.canParse(text)) return null;
  const page = new URL(text);
  const forge = new URL(forgeUrl);
  const prefix = forge.pathname.replace(/\/+$/, "");
  if (page.origin !== forge.origin || !page.pathname.startsWith(`${prefix}/`)) return null;
  const path = /^\/([^/]+\/[^/]+)\/issues\/(\d+)\/?$/.exec(page.pathname.slice(prefix.length));
  return path === null ? null : named(path[1], path[2]);
}

function named(slug = "", digits = ""): NamedIssue | null {
  const repository = parseRepositorySlug(slug);
  const number = Number(digits);
  return repository === null || !Number.isSafeInteger(number) || number < 1 ? null : { repository, number };
}
