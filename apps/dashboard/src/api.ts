import { JobDetail, JobList, Problem, type TimelineEvent, TimelinePage } from "@worktree-hive/contracts";

/** How long an answer may take, in milliseconds. */
const PATIENCE_MS = 15_000;
const JOBS = 500;
/** Timeline pages read besides the one that comes with a job, 1000 entries each. */
const MORE_PAGES = 5;

/** An answer that is no success, in words; `hint` says what to do. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null, cause?: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}

/** The newest jobs; `next` is not null when there are more. */
export function readJobs(signal: AbortSignal): Promise<JobList> {
  return read(`/api/jobs?limit=${JOBS}`, JobList, signal);
}

/** One job with its whole history, as far as `MORE_PAGES` reach. */
export async function readJob(id: string, signal: AbortSignal): Promise<JobDetail> {
  const path = `/api/jobs/${encodeURIComponent(id)}`;
  const job = await read(path, JobDetail, signal);
  const events: TimelineEvent[] = [...job.timeline.events];
  let { next } = job.timeline;
  for (let page = 0; next !== null && page < MORE_PAGES; page += 1) {
    const more: TimelinePage = await read(`${path}/timeline?after=${next}&limit=1000`, TimelinePage, signal);
    events.push(...more.events);
    next = more.next;
  }
  return { ...job, timeline: { events, next } };
}

interface Schema<Value> {
  safeParse(value: unknown): { success: true; data: Value } | { success: false; error: Error };
}

async function read<Value>(path: string, schema: Schema<Value>, signal: AbortSignal): Promise<Value> {
  const body = await answer(path, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]));
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ApiError(
    "the hive's answer has a form that this page does not know",
    "reload the page",
    parsed.error,
  );
}

async function answer(path: string, signal: AbortSignal): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, { signal, headers: { accept: "application/json" } });
  } catch (error) {
    throw new ApiError("the hive does not answer", "is `hive up` running?", error);
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body;
  const problem = Problem.safeParse(body);
  if (!problem.success) throw new ApiError(`the hive answered ${response.status}`);
  throw new ApiError(problem.data.detail, problem.data.hint ?? null);
}
