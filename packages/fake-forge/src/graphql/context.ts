import { GraphQLError } from "graphql";
import { canSee, type Need, permits, refusal, type Viewer } from "../auth/access.ts";
import type { Forge } from "../forge.ts";
import type { Json } from "../render/json.ts";
import type { Repository } from "../state/repositories.ts";

/** What every field may use. GraphQL is never anonymous. */
export interface Context {
  forge: Forge;
  viewer: Viewer;
  views: Views;
}

/** Views that lead back to each other, by way of the context so that their files need not import in a circle. */
export interface Views {
  repository(forge: Forge, repo: Repository): Json;
  ref(forge: Forge, repo: Repository, ref: string, sha: string): Json;
}

/** Field arguments, already checked against the schema. */
export type Args = Record<string, unknown>;

/** An error with GitHub's top-level `type`; the answer keeps HTTP 200 (babysit 0.1). */
export function problem(type: "FORBIDDEN" | "NOT_FOUND" | "UNPROCESSABLE", message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

/** FORBIDDEN for whoever lacks every one of `needs`; NOT_FOUND for what is hidden. */
export function demand(context: Context, repo: Repository, needs: readonly Need[]): void {
  if (!canSee(context.viewer, repo))
    throw problem("NOT_FOUND", "Could not resolve to a node with the global id.");
  if (!permits(context.viewer, repo, needs)) throw problem("FORBIDDEN", refusal(context.viewer));
}
