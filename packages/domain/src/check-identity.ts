import type { Check } from "./snapshot.ts";

/**
 * The newest check of each identity: (app, workflow, name) for a check run, the context for a status. Newest by
 * time, never by position; an unfinished one beats a finished one; a tie goes to the failure (S04).
 */
export function newestOfEach(checks: readonly Check[]): Check[] {
  const newest = new Map<string, Check>();
  for (const check of checks) {
    const key = JSON.stringify([check.kind, check.app, check.workflow, check.name]);
    const known = newest.get(key);
    if (known === undefined || supersedes(check, known)) newest.set(key, check);
  }
  return [...newest.values()];
}

function supersedes(check: Check, known: Check): boolean {
  const open = Number(check.status !== "completed") - Number(known.status !== "completed");
  if (open !== 0) return open > 0;
  const later = timeOf(check) - timeOf(known);
  if (later !== 0) return later > 0;
  return check.conclusion !== "success";
}

function timeOf(check: Check): number {
  const time = check.completedAt ?? check.startedAt ?? check.createdAt;
  return time === null ? 0 : Date.parse(time);
}
