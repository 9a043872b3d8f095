import type { Forge } from "../forge.ts";
import type { Pull } from "../state/issues.ts";
import type { Review } from "../state/reviews.ts";

/** The last review with an opinion, per author; a later plain comment does not clear it (babysit 2.4, S29). */
export function latestOpinions(forge: Forge, issue: Pull): Review[] {
  const opinions = new Map<string, Review>();
  for (const review of forge.state.reviews) {
    if (review.issueId !== issue.id) continue;
    if (["APPROVED", "CHANGES_REQUESTED", "DISMISSED"].includes(review.state))
      opinions.set(review.author, review);
  }
  return [...opinions.values()];
}

/** Null as long as nobody has an opinion: no repository here requires reviews. */
export function reviewDecision(forge: Forge, issue: Pull): "APPROVED" | "CHANGES_REQUESTED" | null {
  const states = latestOpinions(forge, issue).map((it) => it.state);
  if (states.includes("CHANGES_REQUESTED")) return "CHANGES_REQUESTED";
  return states.includes("APPROVED") ? "APPROVED" : null;
}
