import { HiveError, type RepositoryName } from "@worktree-hive/domain";
import { statusOf } from "./forge-error.ts";
import { readLogTail } from "./log-tail.ts";
import type { Transport } from "./transport.ts";

/** A signed link lives for a minute; one that was refused is asked for once more (S11). */
const LINK_ATTEMPTS = 2;
const DOWNLOAD_MS = 60_000;

/** The end of the log of an Actions job; null while it runs and when there is none any more. */
export async function checkLog(
  transport: Transport,
  name: RepositoryName,
  logId: number,
  maxBytes: number,
): Promise<string | null> {
  for (let attempt = 1; ; attempt += 1) {
    const stream = await openLog(transport, name, logId);
    if (stream === "absent") return null;
    if (stream !== "refused") return await readLogTail(stream, maxBytes);
    if (attempt === LINK_ATTEMPTS) {
      throw new HiveError(
        "FORGE_LOG_UNAVAILABLE",
        "retryable",
        "The log store refuses the forge's own link.",
        {
          context: { logId },
        },
      );
    }
  }
}

type LogStream = AsyncIterable<Uint8Array> | "absent" | "refused";

async function openLog(transport: Transport, name: RepositoryName, logId: number): Promise<LogStream> {
  try {
    const answer = await transport.request("GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs", {
      owner: name.owner,
      repo: name.name,
      job_id: logId,
      request: { redirect: "manual", parseSuccessResponseBody: false },
    });
    const body = answer.data as unknown as ReadableStream<Uint8Array> | null;
    const { location } = answer.headers;
    if (location === undefined) return body ?? emptyStream();
    await body?.cancel();
    return await download(transport, location);
  } catch (error) {
    const status = statusOf(error);
    if (status === 404 || status === 410) return "absent";
    throw error;
  }
}

/** The second request carries no authorization: the store is another host and the link is signed (S11a). */
async function download(transport: Transport, url: string): Promise<LogStream> {
  let answer: Response;
  try {
    answer = await transport.fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS) });
  } catch (cause) {
    throw new HiveError("FORGE_UNAVAILABLE", "retryable", "The log store does not answer.", { cause });
  }
  if (answer.ok) return answer.body ?? emptyStream();
  await answer.body?.cancel();
  if (answer.status === 404 || answer.status === 410) return "absent";
  if (answer.status === 401 || answer.status === 403) return "refused";
  throw new HiveError("FORGE_UNAVAILABLE", "retryable", "The log store fails.", {
    context: { status: answer.status },
  });
}

async function* emptyStream(): AsyncGenerator<Uint8Array> {
  // A log without a body has no bytes.
}
