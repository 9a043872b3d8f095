/** The answer of the policy to one proposed action. `ask` waits for a person. */
export interface Verdict {
  readonly decision: "allow" | "deny" | "ask";
  /** Stable rule id, for example `push.fix-budget`. */
  readonly rule: string;
  readonly reason: string;
}

/** A verdict as the log keeps it. */
export interface VerdictRecord extends Verdict {
  readonly jobId: string;
  readonly runId: string | null;
  /** What was judged, in one line without secrets. */
  readonly subject: string;
  readonly layer: "action" | "git_gate" | "api_gate" | "egress" | "shim" | "agent";
  readonly at: string;
}
