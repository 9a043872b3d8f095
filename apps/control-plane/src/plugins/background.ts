import { sweepDueJobs } from "@worktree-hive/queue";
import type { FastifyInstance } from "fastify";
import fp from "fastify-plugin";
import type { ControlPlaneContext } from "../control-plane-context.ts";
import type { Dispatcher } from "../inbox/dispatcher.ts";
import { createIssueSweep } from "../intake/sweep-issues.ts";
import { type RepeatingLoop, startLoop } from "../repeating-loop.ts";

interface BackgroundOptions {
  readonly context: ControlPlaneContext;
  readonly dispatcher: Dispatcher;
  /** Is given the loop that drains the inbox, once it runs. */
  readonly onDispatching: (loop: RepeatingLoop) => void;
}

/** Runs the control plane's loops from readiness to close: the inbox, the jobs that are due, the open issues. */
export const background = fp<BackgroundOptions>(
  async (app: FastifyInstance, { context, dispatcher, onDispatching }) => {
    const { deps, timing } = context;
    const loops: RepeatingLoop[] = [];
    const start = (everyMs: number, pass: () => Promise<unknown>, failure: string): RepeatingLoop => {
      const loop = startLoop({
        everyMs,
        pass: async () => {
          await pass();
        },
        onError: (error) => deps.log.warn({ err: error }, failure),
      });
      loops.push(loop);
      return loop;
    };

    app.addHook("onReady", async () => {
      onDispatching(start(timing.dispatch, () => dispatcher.drain(), "could not drain the webhook inbox"));
      start(
        timing.dueJobs,
        () => sweepDueJobs(deps.store.jobs, deps.queue, deps.clock),
        "could not enqueue the jobs that are due",
      );
      start(timing.openIssues, createIssueSweep(deps), "could not look for open issues");
    });
    app.addHook("onClose", async () => {
      dispatcher.stop();
      await Promise.all(loops.map((loop) => loop.close()));
    });
  },
  { name: "background" },
);
