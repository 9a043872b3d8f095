import { JobList } from "@worktree-hive/contracts";
import { apiClient } from "../cli/api-client.ts";
import { runningHiveUrl } from "../cli/running-hive-url.ts";
import type { Suggestion } from "./suggest.ts";

/** Nobody waits longer for a completion. */
const PATIENCE_MS = 1000;

/**
 * The jobs of the running hive that the words of a command line (or `HIVE_URL`) name. Best effort: no hive, a slow one
 * or a wrong address give none, because a shell has no place for an error here.
 */
export async function jobSuggestions(words: readonly string[]): Promise<readonly Suggestion[]> {
  try {
    const at = words.indexOf("--url");
    const url = runningHiveUrl(at < 0 ? undefined : words[at + 1], process.env.HIVE_URL);
    const { jobs } = await apiClient(url).get("/api/jobs", JobList, AbortSignal.timeout(PATIENCE_MS));
    return jobs.map(({ id, issue, stateText }) => ({
      value: id,
      text: `#${issue.number} ${issue.title}: ${stateText}`,
    }));
  } catch {
    return []; // see above
  }
}
