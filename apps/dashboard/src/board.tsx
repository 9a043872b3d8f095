import { useQuery } from "@tanstack/react-query";
import { readJobs } from "./api.ts";
import { groupJobs, type JobGroup } from "./group-jobs.ts";
import { JobCard } from "./job-card.tsx";
import { usePageTitle } from "./page-title.ts";
import { Trouble } from "./trouble.tsx";

/** All jobs, those that wait for a person first. */
export function Board() {
  const { data, error } = useQuery({ queryKey: ["jobs"], queryFn: ({ signal }) => readJobs(signal) });
  const heading = usePageTitle("Jobs");
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        Jobs
      </h1>
      {error !== null && <Trouble error={error} />}
      {data === undefined && error === null && <p className="quiet">Reading the jobs…</p>}
      {data?.jobs.length === 0 && <NoJobs />}
      {data !== undefined && groupJobs(data.jobs).map((group) => <Group key={group.name} group={group} />)}
      {data?.next && (
        <p className="quiet">
          These are the newest {data.jobs.length} jobs. <code>hive list</code> knows the older ones.
        </p>
      )}
    </>
  );
}

function Group({ group }: { readonly group: JobGroup }) {
  const id = `group-${group.name}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {group.title} <span className="count">{group.jobs.length}</span>
      </h2>
      <ul className="cards">
        {group.jobs.map((job) => (
          <JobCard key={job.id} job={job} />
        ))}
      </ul>
    </section>
  );
}

function NoJobs() {
  return (
    <section className="empty">
      <h2>No jobs yet</h2>
      <p>Give the hive an issue of a repository in your hive.yaml:</p>
      <pre>
        <code>hive add https://github.com/owner/name/issues/12</code>
      </pre>
      <p>
        Or put the repository's label on the issue. The job appears here by itself, and each step it takes is
        shown as it happens.
      </p>
    </section>
  );
}
