/** A full commit id, lower-case hexadecimal. */
export type Sha = string;

/** A repository on the forge. Owner and name compare case-insensitively (WH-134). */
export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

/** `owner/name` as people write it. */
export function repositorySlug(repository: RepositoryName): string {
  return `${repository.owner}/${repository.name}`;
}

/** The key to compare repositories by: lower-case `owner/name`. */
export function repositoryKey(repository: RepositoryName): string {
  return repositorySlug(repository).toLowerCase();
}

const SEGMENT = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;

/**
 * True for a name that can be one path segment: no separator, no NUL, not `.` or `..`, not empty and not looking
 * like an option (WH-071).
 */
export function isPathSegment(value: string): boolean {
  return SEGMENT.test(value) && value !== "." && value !== "..";
}

/** Parses `owner/name`; null when it is anything else. */
export function parseRepositorySlug(text: string): RepositoryName | null {
  const [owner, name, ...rest] = text.split("/");
  if (owner === undefined || name === undefined || rest.length > 0) return null;
  return isPathSegment(owner) && isPathSegment(name) ? { owner, name } : null;
}
