import { randomUUID } from "node:crypto";
import type { Delivery, Store, VerdictRecord, WorkerRow } from "@worktree-hive/domain";
import { describe, expect, it } from "vitest";
import { entry, ownedJob, someRun } from "./store-under-test.ts";

const AT = "2026-03-01T10:00:00.123Z";
const HOSTILE = "a\0b\ud800c\udc00d 😀";
const CLEANED = "a\u{FFFD}b\u{FFFD}c\u{FFFD}d 😀";

export function recordsConformance(store: () => Store): void {
  describe("runs", () => {
    it("plans a run once and keeps what it is told", async () => {
      const { job, lease } = await ownedJob(store(), { host: randomUUID() });
      const run = someRun(job);
      await store().runs.plan(lease, run);
      await store().runs.plan(lease, { ...run, cycle: 9 });
      expect(await store().runs.get(run.id)).toEqual(run);
      expect(await store().runs.live(job.host ?? "")).toEqual([run]);

      const running = await store().runs.update(lease, run.id, { status: "running", pid: 42, worker: "w" });
      expect(running).toEqual({ ...run, status: "running", pid: 42, worker: "w" });
      expect(await store().runs.live(job.host ?? "")).toEqual([running]);

      const outcome = { kind: "timed_out", afterMs: 5 } as const;
      const ended = await store().runs.update(lease, run.id, { status: "ended", endedAt: AT, outcome });
      expect(await store().runs.live(job.host ?? "")).toEqual([]);
      expect(await store().runs.list(job.id)).toEqual([ended]);
      expect(await store().runs.get("none")).toBeNull();
    });

    it("refuses a second live run of a job", async () => {
      const { job, lease } = await ownedJob(store());
      await store().runs.plan(lease, someRun(job, 1));

      await expect(store().runs.plan(lease, someRun(job, 2))).rejects.toMatchObject({
        code: "RUN_LIVE",
        kind: "conflict",
      });
      await store().runs.update(lease, someRun(job, 1).id, { status: "ended" });
      await store().runs.plan(lease, someRun(job, 2));

      expect((await store().runs.list(job.id)).map(({ status }) => status)).toEqual(["ended", "pending"]);
    });
  });

  describe("commands", () => {
    it("keeps a command until one step has obeyed it, and no second one", async () => {
      const { job, lease } = await ownedJob(store());
      const pause = await store().commands.give(job.id, "pause", "ann");
      const resume = await store().commands.give(job.id, "resume", "ann");
      expect(await store().commands.waiting(job.id)).toEqual([pause, resume]);

      const step = { effects: [], timeline: [], verdicts: [], obeys: pause.id };
      const saved = await store().jobs.saveStep(lease, { ...step, job });

      expect(await store().commands.waiting(job.id)).toEqual([resume]);
      await expect(store().jobs.saveStep(lease, { ...step, job: saved })).rejects.toMatchObject({
        code: "COMMAND_OBEYED",
      });
      await expect(store().commands.give("none", "pause", "ann")).rejects.toMatchObject({
        code: "JOB_UNKNOWN",
      });
    });
  });

  describe("timeline", () => {
    it("shows a reader every entry once and in order while many write", async () => {
      const jobs = await Promise.all(Array.from({ length: 6 }, () => ownedJob(store())));
      const start = await store().timeline.lastId();
      let writing = true;
      const reading = readAll(start, () => writing);

      await Promise.all(
        jobs.map(async ({ job }) => {
          for (let n = 0; n < 20; n += 1)
            await store().timeline.append(job.id, [entry(`${n}`), entry(`${n}b`)]);
        }),
      );
      writing = false;
      const seen = await reading;

      const ids = seen.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
      for (const { job } of jobs) {
        const wanted = Array.from({ length: 20 }, (_, n) => [`${n}`, `${n}b`]).flat();
        expect(seen.filter(({ jobId }) => jobId === job.id).map(({ text }) => text)).toEqual(wanted);
      }
      expect(await store().timeline.lastId()).toBe(ids.at(-1));
    });

    it("pages through one job", async () => {
      const { job } = await ownedJob(store());
      await store().timeline.append(job.id, [entry("a"), entry("b", { n: 1 }), entry("c")]);
      const [first] = await store().timeline.list(job.id, 0, 1);

      const rest = await store().timeline.list(job.id, first?.id ?? 0, 10);

      expect(first?.text).toBe("a");
      expect(rest.map(({ text, data }) => [text, data])).toEqual([
        ["b", { n: 1 }],
        ["c", {}],
      ]);
      expect(typeof first?.id).toBe("number");
    });
  });

  describe("inbox", () => {
    it("S42 takes a delivery once, also when it arrives ten times at once", async () => {
      const delivery = someDelivery({ action: "opened", list: [1, null, { deep: true }] });
      const before = await store().inbox.counts();

      const taken = await Promise.all(Array.from({ length: 10 }, () => store().inbox.receive(delivery)));

      expect(taken.filter(Boolean)).toHaveLength(1);
      expect((await store().inbox.pending(10_000)).filter(({ id }) => id === delivery.id)).toEqual([
        delivery,
      ]);
      expect((await store().inbox.counts()).pending).toBe(before.pending + 1);
      expect(await store().inbox.receive({ ...delivery, source: "linear" })).toBe(true);
    });

    it("counts done deliveries, and those that nobody understood apart", async () => {
      const [known, odd] = [someDelivery([]), someDelivery("text")];
      await store().inbox.receive(known);
      await store().inbox.receive(odd);
      const before = await store().inbox.counts();

      await store().inbox.done(known.source, known.id, "woke 1 job");
      await store().inbox.done(odd.source, odd.id, "unknown event");

      const after = await store().inbox.counts();
      expect(after).toEqual({
        pending: before.pending - 2,
        done: before.done + 1,
        unknown: before.unknown + 1,
      });
      expect(typeof after.done).toBe("number");
      expect((await store().inbox.pending(10_000)).map(({ id }) => id)).not.toContain(known.id);
      expect(await store().inbox.receive(known)).toBe(false);
    });
  });

  describe("other records", () => {
    it("keeps rescues, and refuses a second commit under a name", async () => {
      const { job, lease } = await ownedJob(store());
      const rescue = {
        jobId: job.id,
        ref: `refs/hive/rescue/${job.id}/1`,
        commit: "c1",
        reason: "end",
        at: AT,
      };
      await store().rescues.record(lease, rescue);
      await store().rescues.record(lease, rescue);

      await expect(store().rescues.record(lease, { ...rescue, commit: "c2" })).rejects.toMatchObject({
        code: "RESCUE_EXISTS",
      });
      expect(await store().rescues.list(job.id)).toEqual([rescue]);
    });

    it("keeps verdicts in order, alone and with a step", async () => {
      const { job, lease } = await ownedJob(store());
      const [one, two] = [someVerdict(job.id, "one"), someVerdict(job.id, "two")];
      await store().verdicts.record([one]);
      await store().jobs.saveStep(lease, { job, effects: [], timeline: [], verdicts: [two] });

      expect(await store().verdicts.list(job.id)).toEqual([one, two]);
    });

    it("keeps one heartbeat per worker", async () => {
      const worker = someWorker();
      await store().workers.beat(worker);
      await store().workers.beat({ ...worker, seenAt: "2026-03-01T10:05:00.000Z", capacity: 4 });

      expect((await store().workers.list()).filter(({ id }) => id === worker.id)).toEqual([
        { ...worker, seenAt: "2026-03-01T10:05:00.000Z", capacity: 4 },
      ]);
      await store().workers.gone(worker.id);
      expect((await store().workers.list()).filter(({ id }) => id === worker.id)).toEqual([]);
    });

    it("cleans NUL and lone surrogates and keeps the rest of the text", async () => {
      const { job, lease } = await ownedJob(store());
      const state = { name: "failed", reason: HOSTILE } as const;

      await store().jobs.saveStep(lease, {
        job: { ...job, state },
        effects: [],
        timeline: [entry(HOSTILE, { [HOSTILE]: [HOSTILE] })],
        verdicts: [someVerdict(job.id, HOSTILE)],
      });
      const delivery = someDelivery({ body: HOSTILE });
      await store().inbox.receive(delivery);

      expect((await store().jobs.get(job.id))?.state).toEqual({ name: "failed", reason: CLEANED });
      expect(await store().timeline.list(job.id, 0, 1)).toMatchObject([
        { text: CLEANED, data: { [CLEANED]: [CLEANED] } },
      ]);
      expect((await store().verdicts.list(job.id))[0]?.reason).toBe(CLEANED);
      const kept = (await store().inbox.pending(10_000)).find(({ id }) => id === delivery.id);
      expect(kept?.payload).toEqual({ body: CLEANED });
    });

    it("answers a ping", async () => {
      expect(await store().ping()).toBe(true);
    });
  });

  async function readAll(from: number, more: () => boolean) {
    const seen = [];
    let cursor = from;
    for (let last = false; ; ) {
      const entries = await store().timeline.after(cursor, 7);
      seen.push(...entries);
      cursor = entries.at(-1)?.id ?? cursor;
      if (entries.length > 0) continue;
      if (last) return seen;
      last = !more();
    }
  }
}

function someDelivery(payload: unknown): Delivery {
  return { source: "github", id: randomUUID(), event: "issues", payload, receivedAt: AT };
}

function someVerdict(jobId: string, reason: string): VerdictRecord {
  return {
    jobId,
    runId: null,
    decision: "deny",
    rule: "push.fix-budget",
    reason,
    subject: "push of 1 commit",
    layer: "git_gate",
    at: AT,
  };
}

function someWorker(): WorkerRow {
  return {
    id: randomUUID(),
    host: "h1",
    pid: 17,
    capacity: 2,
    isolation: "bubblewrap",
    startedAt: AT,
    seenAt: AT,
  };
}
