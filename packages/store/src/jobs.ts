import { type JobStore, repositoryKey } from "@worktree-hive/domain";
import { createJob } from "./create-job.ts";
import type { Db } from "./database.ts";
import { jobOf } from "./job-row.ts";
import { jobWakes } from "./job-wakes.ts";
import { saveStep } from "./save-step.ts";
import type { Session } from "./session.ts";

/** Beside the wanted states, because SQL has no empty list. */
const NO_STATE = "";

export function jobStore(session: Session): JobStore {
  return {
    create: (job, generation, timeline) => session.write((tx) => createJob(tx, job, generation, timeline)),
    get: async (id) => {
      const row = await session.read((db) => allJobs(db).where("id", "=", id).executeTakeFirst());
      return row === undefined ? null : jobOf(row);
    },
    list: async ({ states, repository, host, limit } = {}) => {
      const rows = await session.read((db) =>
        allJobs(db)
          .$if(states !== undefined, (query) => query.where("state", "in", [...(states ?? []), NO_STATE]))
          .$if(repository !== undefined, (query) =>
            query.where("repository", "=", repository === undefined ? "" : repositoryKey(repository)),
          )
          .$if(host !== undefined, (query) => query.where("host", "=", host ?? null))
          .orderBy("created_at")
          .orderBy("id")
          .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
          .execute(),
      );
      return rows.map(jobOf);
    },
    find: async ({ repository, pullNumber, branch, head, issueKey }) => {
      const wanted = { pull_number: pullNumber, branch, remote_tip: head, issue_key: issueKey };
      const rows = await session.read((db) =>
        allJobs(db)
          .where("repository", "=", repositoryKey(repository))
          .where((where) =>
            where.or(
              Object.entries(wanted).flatMap(([column, value]) =>
                value === undefined ? [] : [where(column as keyof typeof wanted, "=", value)],
              ),
            ),
          )
          .orderBy("created_at")
          .orderBy("id")
          .execute(),
      );
      return rows.map(jobOf);
    },
    saveStep: (lease, step) => session.write((tx) => saveStep(tx, lease, step)),
    ...jobWakes(session),
  };
}

function allJobs(db: Db) {
  return db.selectFrom("jobs").select(["version", "body"]);
}
