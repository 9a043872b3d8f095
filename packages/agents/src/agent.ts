import type { Verdict } from "@worktree-hive/domain";
import type { RunningCommand } from "@worktree-hive/exec";

/** The running agent process, as `start` of the exec package returns it. */
export type StartedProcess = RunningCommand;

/**
 * Starts the agent's process; the worker gives one that enters the jail and adds the agent's `environment`.
 * @throws ExecError when the program or the working directory is not there
 */
export type SpawnAgent = (command: readonly string[]) => StartedProcess;

/** The policy's answer about one command line; an agent cannot wait for a person, so there is no `ask`. */
export type ShellVerdict = Pick<Verdict, "rule" | "reason"> & { readonly decision: "allow" | "deny" };

export type ToolStatus = "pending" | "in_progress" | "completed" | "failed";

/** What an agent does, as the run transcript keeps it. It is the agent's word: no event moves a job's state. */
export type AgentEvent =
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  | {
      readonly type: "tool";
      readonly id: string;
      readonly title: string;
      readonly kind: string;
      readonly status: ToolStatus;
      readonly output?: string;
    }
  | {
      readonly type: "permission";
      readonly title: string;
      readonly decision: "allowed" | "denied";
      readonly rule: string;
      readonly reason: string;
    }
  | {
      readonly type: "usage";
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly costUsd: number | null;
    }
  /** A line of standard error, or one on standard output that is not part of the protocol. */
  | { readonly type: "stderr"; readonly line: string };

export interface AgentRun {
  readonly prompt: string;
  /** Absolute, as the agent sees it. */
  readonly cwd: string;
  readonly spawn: SpawnAgent;
  /** Courtesy, never the boundary: an agent that does not ask is held by the jail and the gates. */
  readonly judge: (shellText: string) => ShellVerdict;
  readonly onEvent: (event: AgentEvent) => void;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** How the process ended; whether the run reached its aim is read from git and the forge, never from here. */
export type AgentEnd =
  /** `stopReason` in the words of ACP: end_turn, refusal, cancelled, max_tokens, max_turn_requests. */
  | { readonly kind: "completed"; readonly stopReason: string; readonly lastMessage: string }
  | { readonly kind: "canceled" }
  | { readonly kind: "timed_out" }
  | { readonly kind: "failed"; readonly detail: string };

/** A coding agent. When `run` resolves, every process it started is gone. */
export interface Agent {
  readonly name: string;
  /** Host paths that must be visible in the jail, at the same place, read-only. */
  readonly readOnlyPaths: readonly string[];
  /** Added to the environment by whoever gives `spawn`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Never rejects for what an agent does; see `AgentEnd`. */
  run(run: AgentRun): Promise<AgentEnd>;
}
