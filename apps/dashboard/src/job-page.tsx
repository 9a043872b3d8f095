import { useQuery } from "@tanstack/react-query";
import type { JobDetail } from "@worktree-hive/contracts";
import { Age } from "./age.tsx";
import { readJob } from "./api.ts";
import { groupOf } from "./group-jobs.ts";
import { JobFacts } from "./job-card.tsx";
import { Effects, Findings, Fixes, Rescues, Runs, Timeline } from "./job-sections.tsx";
import { usePageTitle } from "./page-title.ts";
import { Link } from "./route.tsx";
import { Trouble } from "./trouble.tsx";

/** Everything there is to know of one job. */
export function JobPage({ id }: { readonly id: string }) {
  const { data, error } = useQuery({ queryKey: ["job", id], queryFn: ({ signal }) => readJob(id, signal) });
  const title = data?.issue.title ?? `Job ${id}`;
  const heading = usePageTitle(title);
  return (
    <>
      <p>
        <Link href="/">← All jobs</Link>
      </p>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {error !== null && <Trouble error={error} />}
      {data === undefined && error === null && <p className="quiet">Reading the job…</p>}
      {data !== undefined && <Job job={data} />}
    </>
  );
}

function Job({ job }: { readonly job: JobDetail }) {
  return (
    <>
      <div className={`card ${groupOf(job)}`}>
        <p className="state">{job.stateText}</p>
        {job.detail !== null && !job.stateText.includes(job.detail) && <p className="detail">{job.detail}</p>}
        <JobFacts job={job} />
      </div>
      <Header job={job} />
      <Findings findings={job.findings} />
      <Runs runs={job.runs} />
      <Fixes fixes={job.fixes} />
      <Rescues rescues={job.rescues} />
      <Timeline timeline={job.timeline} />
      <Effects effects={job.effects} />
    </>
  );
}

function Header({ job }: { readonly job: JobDetail }) {
  const facts: readonly (readonly [string, React.ReactNode])[] = [
    ["Job", <code key="job">{job.id}</code>],
    ["Branch", <code key="branch">{job.branch}</code>],
    ["Base", `${job.baseBranch}${job.baseSha === null ? "" : ` at ${job.baseSha.slice(0, 12)}`}`],
    ["Remote tip", job.remoteTip?.slice(0, 12) ?? "nothing pushed yet"],
    ["Cycle", job.cycle === 0 ? "none before the PR opens" : job.cycle],
    ["Host", job.host ?? "no worker has it yet"],
    ["Worktree", job.worktree === null ? "none" : <code key="worktree">{job.worktree}</code>],
    ["Last change", <Age key="changed" of={job.updatedAt} />],
  ];
  return (
    <dl className="header">
      {facts.map(([term, fact]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}
