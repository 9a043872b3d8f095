/** A word that the glossary says not to use, and where it is right all the same. */
export interface Forbidden {
  readonly word: RegExp;
  readonly say: string;
  /** A line on which the word means something else. */
  readonly unless?: RegExp;
}

/** From the glossary's "not" column: only words that would mislead, not every synonym. */
export const FORBIDDEN: readonly Forbidden[] = [
  { word: /\btickets?\b/i, say: "issue" },
  { word: /\bmerge bots?\b/i, say: "hive (it never merges)" },
  {
    word: /\bcontainers?\b/i,
    say: "jail",
    unless: /docker|compose|kubernetes|\bpods?\b|image|inside a container/i,
  },
  { word: /\b(agent|coding|work) sessions?\b/i, say: "run" },
  { word: /\btasks?\b/i, say: "job, or issue", unless: /task runner|background task/i },
  { word: /\biterations?\b/i, say: "cycle" },
  {
    word: /\bback-?ups?\b/i,
    say: "rescue ref",
    unless: /postgres|pglite|redis|database|data directory|store|dump/i,
  },
  { word: /\bscm\b/i, say: "forge" },
  { word: /\b(git|forge|host|code) providers?\b/i, say: "forge" },
  { word: /\bproxy\b/i, say: "gate", unless: /egress|reverse|https?_proxy|nginx|ingress/i },
  { word: /\bbrokers?\b/i, say: "gate", unless: /message broker|redis/i },
  { word: /\bescalat(e|es|ed|ing|ion|ions)\b/i, say: "handoff", unless: /privilege/i },
  { word: /\bclusters?\b/i, say: "hive", unless: /kubernetes|redis|postgres|kubectl|kind\b|short flags/i },
  { word: /\b(pull request|PR) (watch|task)\b/i, say: "job" },
];
