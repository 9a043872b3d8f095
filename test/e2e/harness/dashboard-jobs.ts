import {
  type Effect,
  type Finding,
  githubIssueKey,
  type Job,
  type JobState,
  type Lease,
  newJob,
  type Store,
} from "@worktree-hive/domain";

const HEAD = "3f2a9c81d04be57761f0c2a95d8e6b4417ac30d9";
const REPOSITORY = { owner: "acme", name: "app" };

interface Seed {
  readonly number: number;
  readonly title: string;
  readonly state: JobState;
  readonly pull?: number;
  readonly minutesAgo: number;
}

const SEEDS: readonly Seed[] = [
  {
    number: 12,
    title: "Retry uploads when the network drops",
    state: { name: "handoff", reason: "budget_spent", detail: 'check "unit" ended with failure', head: HEAD },
    pull: 31,
    minutesAgo: 190,
  },
  {
    number: 14,
    title: "Accept dates without a year",
    state: { name: "needs_input", question: "Which year should 29 February mean?", runId: "r" },
    minutesAgo: 75,
  },
  {
    number: 15,
    title: "Make the log quieter at start-up",
    state: { name: "working", runId: "r" },
    minutesAgo: 4,
  },
  {
    number: 11,
    title: "Explain exit codes in the manual",
    state: { name: "watching", waitingFor: ["unit", "lint"] },
    pull: 30,
    minutesAgo: 33,
  },
  {
    number: 10,
    title: "Sort the file list by name",
    state: { name: "ready", head: HEAD },
    pull: 29,
    minutesAgo: 60,
  },
  {
    number: 9,
    title: "Drop the unused cache",
    state: { name: "done", end: "merged", by: "ann" },
    pull: 28,
    minutesAgo: 2_900,
  },
];

/** Writes one job of each kind through the store's port, as a worker would; returns the one with a full history. */
export async function seedJobs(store: Store): Promise<Job> {
  let full: Job | null = null;
  for (const seed of SEEDS) {
    const owned = await ownedJob(store, seed);
    const { lease } = owned;
    const job = seed.number === 12 ? await addHistory(store, owned.job, lease) : owned.job;
    const pull =
      seed.pull === undefined
        ? null
        : {
            number: seed.pull,
            nodeId: `PR_${seed.pull}`,
            url: `https://github.com/acme/app/pull/${seed.pull}`,
          };
    const saved = await store.jobs.saveStep(lease, {
      job: { ...job, pull, state: seed.state, cycle: pull === null ? 0 : 1, remoteTip: pull && HEAD },
      effects: seed.number === 12 ? EFFECTS.map((effect) => ({ ...effect, jobId: job.id })) : [],
      timeline: [{ type: "state.changed", text: `Now ${seed.state.name}`, data: {} }],
      verdicts: [],
    });
    for (const { key } of await store.effects.planned(job.id))
      await store.effects.finish(lease, key, "done", null, []);
    await store.leases.release(lease);
    full ??= saved;
  }
  if (full === null) throw new Error("nothing was seeded");
  return full;
}

async function ownedJob(store: Store, seed: Seed): Promise<{ job: Job; lease: Lease }> {
  const { number, title } = seed;
  const id = `${number}-a3f9c1`;
  const issue = {
    tracker: "github",
    key: githubIssueKey(REPOSITORY, number),
    number,
    url: `https://github.com/acme/app/issues/${number}`,
    title,
  } as const;
  const branch = `hive/${id}/${title.toLowerCase().replaceAll(" ", "-")}`;
  const createdAt = new Date(Date.now() - seed.minutesAgo * 60_000).toISOString();
  const fresh = newJob(
    { id, repository: REPOSITORY, issue, branch, baseBranch: "main", fixBudget: 3 },
    createdAt,
  );
  const worker = { host: "builder-1", worktree: `/srv/hive/worktrees/acme/app/${id}`, baseSha: HEAD };
  const { job } = await store.jobs.create({ ...fresh, ...worker }, 1, [
    { type: "job.created", text: `Queued for acme/app#${number}`, data: {} },
  ]);
  const attempt = await store.leases.acquire(job.id, "seed", 60_000);
  if (attempt.kind !== "acquired") throw new Error("the lease is held");
  return { job, lease: attempt.lease };
}

const FINDING: Finding = {
  kind: "check_failed",
  fixable: true,
  check: "unit",
  conclusion: "failure",
  required: true,
  url: null,
  logId: null,
  summary: null,
  head: HEAD,
};

const EFFECTS: readonly Omit<Effect, "jobId">[] = [
  {
    key: "12-a3f9c1/0/1",
    action: { type: "open_pull", head: HEAD, runId: "12-a3f9c1-r1" },
    status: "planned",
    attempts: 0,
    detail: null,
  },
  {
    key: "12-a3f9c1/1/2",
    action: {
      type: "report",
      subject: { status: "Blocked", head: HEAD, reason: "the fix budget is spent" },
      findings: [FINDING],
    },
    status: "planned",
    attempts: 0,
    detail: null,
  },
];

/** A run that pushed, a fix, a rescue ref; the job as it is after that. */
async function addHistory(store: Store, job: Job, lease: Lease): Promise<Job> {
  const startedAt = job.createdAt;
  const endedAt = new Date(Date.parse(startedAt) + 150_000).toISOString();
  await store.runs.plan(lease, {
    id: `${job.id}-r1`,
    jobId: job.id,
    kind: "implement",
    cycle: 0,
    status: "pending",
    startHead: null,
    worker: "seed",
    pid: null,
    pidStart: null,
    isolation: "bubblewrap",
    startedAt,
    endedAt: null,
    outcome: null,
    result: null,
  });
  await store.runs.update(lease, `${job.id}-r1`, {
    status: "ended",
    endedAt,
    outcome: { kind: "pushed", head: HEAD },
    result: {
      summary: "Uploads are tried again three times,\nwith a pause that doubles.",
      replies: [],
      question: null,
    },
  });
  const push = { id: "push-1", jobId: job.id, runId: null, branch: job.branch, expected: null, head: HEAD };
  const step = { job: { ...job, cycle: 1 }, effects: [], timeline: [], verdicts: [] };
  const saved = await store.jobs.saveStep(lease, step);
  await store.ledger.authorize(lease, push, [{ sha: HEAD, patchId: "p1" }]);
  await store.ledger.settle(lease, "push-1", "pushed");
  const ref = `refs/hive/rescue/${job.id}/1`;
  await store.rescues.record(lease, {
    jobId: job.id,
    ref,
    commit: HEAD,
    reason: "uncommitted edits after the run",
    at: endedAt,
  });
  return saved;
}

/** A queued job whose issue tries to get a script into the page. */
export function hostileJob(): Job {
  const issue = {
    tracker: "github",
    key: githubIssueKey(REPOSITORY, 66),
    number: 66,
    url: "javascript:alert(1)",
    title: "<img src=x onerror=alert(1)>",
  } as const;
  const names = { id: "66-a3f9c1", repository: REPOSITORY, branch: "hive/66-a3f9c1/x", baseBranch: "main" };
  return newJob({ ...names, issue, fixBudget: 3 }, new Date().toISOString());
}
