/** One try at something that can move a protected line of history: a merge door (babysit 3). */
export interface Door {
  at: string;
  door: string;
  login: string | null;
  repository: string;
  detail: string;
  outcome: "allowed" | "refused";
  /** HTTP status, or the reason for a refused push. */
  answer: string;
}
