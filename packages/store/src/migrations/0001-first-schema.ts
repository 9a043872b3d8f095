import type { Migration } from "./migration.ts";

/*
 * Domain values are kept whole as jsonb; a column beside them exists only to be searched, made unique or compared.
 */
export const firstSchema: Migration = {
  number: 1,
  name: "first-schema",
  sql: `
create table jobs (
  id text primary key,
  version bigint not null,
  generation integer not null,
  repository text not null,
  issue_tracker text not null,
  issue_key text not null,
  branch text not null,
  pull_number integer,
  remote_tip text,
  host text,
  state text not null,
  ended boolean not null,
  body jsonb not null,
  wake_at timestamptz,
  wake_requests bigint not null default 0,
  created_at timestamptz not null default now(),
  unique (issue_tracker, issue_key, generation)
);
create unique index jobs_one_open_per_issue on jobs (issue_tracker, issue_key) where not ended;
create index jobs_by_pull on jobs (repository, pull_number);
create index jobs_by_branch on jobs (repository, branch);
create index jobs_by_tip on jobs (repository, remote_tip);
create index jobs_by_state on jobs (state);
create index jobs_due on jobs (wake_at) where not ended;

create table leases (
  job_id text primary key references jobs (id),
  holder text,
  fence bigint not null,
  expires_at timestamptz not null
);

create table runs (
  id text primary key,
  job_id text not null references jobs (id),
  seq bigint generated always as identity,
  status text not null,
  body jsonb not null
);
create index runs_by_job on runs (job_id, seq);
create unique index runs_one_live_per_job on runs (job_id) where status <> 'ended';

create table pushes (
  id text primary key,
  job_id text not null references jobs (id),
  seq bigint generated always as identity,
  run_id text,
  branch text not null,
  expected text,
  head text not null,
  status text not null
);
create index pushes_by_job on pushes (job_id, seq);
create unique index pushes_one_unsettled_per_job on pushes (job_id) where status = 'authorized';

create table fixes (
  job_id text not null references jobs (id),
  cycle integer not null,
  patch_id text not null,
  seq bigint generated always as identity,
  sha text not null,
  push_id text not null references pushes (id),
  status text not null,
  primary key (job_id, cycle, patch_id)
);
create index fixes_by_push on fixes (push_id);

create table effects (
  key text primary key,
  job_id text not null references jobs (id),
  seq bigint generated always as identity,
  action jsonb not null,
  status text not null,
  attempts integer not null,
  detail text
);
create index effects_by_job on effects (job_id, seq);

create table inbox (
  source text not null,
  id text not null,
  seq bigint generated always as identity,
  event text not null,
  payload jsonb not null,
  received_at timestamptz not null,
  done_at timestamptz,
  note text,
  primary key (source, id)
);
create index inbox_pending on inbox (seq) where done_at is null;

create table timeline (
  id bigint generated always as identity primary key,
  job_id text not null references jobs (id),
  at timestamptz not null,
  type text not null,
  text text not null,
  data jsonb not null
);
create index timeline_by_job on timeline (job_id, id);

create table rescues (
  job_id text not null references jobs (id),
  ref text not null,
  seq bigint generated always as identity,
  commit text not null,
  reason text not null,
  at timestamptz not null,
  primary key (job_id, ref)
);

create table verdicts (
  id bigint generated always as identity primary key,
  job_id text not null,
  run_id text,
  decision text not null,
  rule text not null,
  reason text not null,
  subject text not null,
  layer text not null,
  at timestamptz not null
);
create index verdicts_by_job on verdicts (job_id, id);

create table workers (
  id text primary key,
  host text not null,
  pid integer not null,
  capacity integer not null,
  isolation text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);
`,
};
