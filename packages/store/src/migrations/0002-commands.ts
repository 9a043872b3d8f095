import type { Migration } from "./migration.ts";

/** What people tell the hive to do with a job, kept until a tick has obeyed it. */
export const commands: Migration = {
  number: 2,
  name: "commands",
  sql: `
create table commands (
  id bigint generated always as identity primary key,
  job_id text not null references jobs (id),
  command text not null,
  actor text not null,
  given_at timestamptz not null default now(),
  obeyed_at timestamptz
);
create index commands_waiting on commands (job_id, id) where obeyed_at is null;
`,
};
