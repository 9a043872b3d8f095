/** What kind of thing would be gone. */
export type LossClass =
  | "staged"
  | "unstaged"
  | "untracked"
  | "ignored"
  | "hidden_edit"
  | "conflict"
  | "operation"
  | "commits"
  | "stash"
  | "nested_repository"
  | "submodule"
  | "mount"
  | "locked"
  | "live_process"
  | "special_file"
  | "identity"
  | "unreadable"
  | "git_error";

export interface LossFinding {
  readonly class: LossClass;
  /** Readable form of the names (bytes that are no text are escaped), or commit ids for `commits` and `stash`. */
  readonly paths: readonly string[];
  readonly detail: string;
}

export interface LossReport {
  /** `cannot_tell` means keep: something failed or is not what it claims to be. */
  readonly verdict: "nothing_to_lose" | "would_lose" | "cannot_tell";
  readonly findings: readonly LossFinding[];
  /** State of the worktree that was judged; removal compares it again. Empty when the tree was not read. */
  readonly fingerprint: string;
}

const DOUBTS: ReadonlySet<LossClass> = new Set([
  "identity",
  "unreadable",
  "git_error",
  "mount",
  "locked",
  "live_process",
]);

/** The verdict that findings amount to. */
export function reportOf(findings: readonly LossFinding[], fingerprint: string): LossReport {
  const doubt = findings.some((finding) => DOUBTS.has(finding.class));
  const verdict = doubt ? "cannot_tell" : findings.length > 0 ? "would_lose" : "nothing_to_lose";
  return { verdict, findings, fingerprint };
}

/** A name for people: text where it is text, otherwise with the odd bytes escaped. */
export function readableName(name: Buffer): string {
  const text = name.toString("utf8");
  if (Buffer.from(text).equals(name)) return text;
  return name.toString("latin1").replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}
