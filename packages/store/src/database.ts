import type { ColumnType, Generated, Kysely, Transaction } from "kysely";
import type { Json } from "./driver-value.ts";

/* The tables as Kysely sees them. Written as `Json`, read as parsed values. */

type JsonColumn = ColumnType<unknown, Json, Json>;
type Moment = ColumnType<Date, Date | string, Date | string>;
type MaybeMoment = ColumnType<Date | null, Date | string | null, Date | string | null>;

export interface Tables {
  jobs: {
    id: string;
    version: number;
    generation: number;
    repository: string;
    issue_tracker: string;
    issue_key: string;
    branch: string;
    pull_number: number | null;
    remote_tip: string | null;
    host: string | null;
    state: string;
    ended: boolean;
    body: JsonColumn;
    wake_at: MaybeMoment;
    wake_requests: Generated<number>;
    created_at: Generated<Date>;
  };
  leases: { job_id: string; holder: string | null; fence: number; expires_at: Moment };
  runs: { id: string; job_id: string; seq: Generated<number>; status: string; body: JsonColumn };
  pushes: {
    id: string;
    job_id: string;
    seq: Generated<number>;
    run_id: string | null;
    branch: string;
    expected: string | null;
    head: string;
    status: string;
  };
  fixes: {
    job_id: string;
    cycle: number;
    patch_id: string;
    seq: Generated<number>;
    sha: string;
    push_id: string;
    status: string;
  };
  effects: {
    key: string;
    job_id: string;
    seq: Generated<number>;
    action: JsonColumn;
    status: string;
    attempts: number;
    detail: string | null;
  };
  inbox: {
    source: string;
    id: string;
    seq: Generated<number>;
    event: string;
    payload: JsonColumn;
    received_at: Moment;
    done_at: MaybeMoment;
    note: string | null;
  };
  commands: {
    id: Generated<number>;
    job_id: string;
    command: string;
    actor: string;
    given_at: Generated<Date>;
    obeyed_at: Date | null;
  };
  timeline: {
    id: Generated<number>;
    job_id: string;
    at: Moment;
    type: string;
    text: string;
    data: JsonColumn;
  };
  rescues: {
    job_id: string;
    ref: string;
    seq: Generated<number>;
    commit: string;
    reason: string;
    at: Moment;
  };
  verdicts: {
    id: Generated<number>;
    job_id: string;
    run_id: string | null;
    decision: string;
    rule: string;
    reason: string;
    subject: string;
    layer: string;
    at: Moment;
  };
  workers: {
    id: string;
    host: string;
    pid: number;
    capacity: number;
    isolation: string;
    started_at: Moment;
    seen_at: Moment;
  };
}

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
