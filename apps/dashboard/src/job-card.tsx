import type { JobSummary } from "@worktree-hive/contracts";
import { Age } from "./age.tsx";
import { groupOf } from "./group-jobs.ts";
import { OutLink } from "./out-link.tsx";
import { jobPath, Link } from "./route.tsx";

/** One job on the board. */
export function JobCard({ job }: { readonly job: JobSummary }) {
  return (
    <li className={`card ${groupOf(job)}`}>
      <h3>
        <Link href={jobPath(job.id)}>{job.issue.title}</Link>
      </h3>
      <p className="state">{job.stateText}</p>
      {job.detail !== null && !job.stateText.includes(job.detail) && <p className="detail">{job.detail}</p>}
      <JobFacts job={job} />
    </li>
  );
}

/** The links and numbers that belong to a job wherever it is shown. */
export function JobFacts({ job }: { readonly job: JobSummary }) {
  return (
    <ul className="facts">
      <li>
        <OutLink href={job.issue.url}>{issueName(job)}</OutLink>
      </li>
      <li>
        {job.pull === null ? "no PR yet" : <OutLink href={job.pull.url}>PR #{job.pull.number}</OutLink>}
      </li>
      <li>
        fixes {job.fixesUsed}/{job.fixBudget}
      </li>
      <li>
        <Age of={job.createdAt} suffix="old" />
      </li>
    </ul>
  );
}

/** Repository and issue; a Linear key does not name the repository, a GitHub key does. */
function issueName({ issue, repository }: JobSummary): string {
  return issue.tracker === "github" ? `${repository}#${issue.number}` : `${repository} ${issue.key}`;
}
