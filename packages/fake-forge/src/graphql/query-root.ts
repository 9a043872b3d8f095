import { canSee } from "../auth/access.ts";
import type { Json } from "../render/json.ts";
import { findAccount, findRepository, repositoryOf } from "../state/lookup.ts";
import { accountView } from "./actor-view.ts";
import { connection } from "./connection.ts";
import { type Args, type Context, problem } from "./context.ts";
import { nodeView } from "./nodes.ts";
import { conversationNode, repositoryView } from "./repository-view.ts";
import { searchIssues } from "./search.ts";

/** Fields of Query. What is not here is not modelled, and asking for it is an error. */
export const queryRoot: Json = {
  repository: ({ owner, name }: Args, context: Context) => {
    const found = findRepository(context.forge, String(owner), String(name));
    if (found !== null && canSee(context.viewer, found)) return repositoryView(context.forge, found);
    throw problem(
      "NOT_FOUND",
      `Could not resolve to a Repository with the name '${String(owner)}/${String(name)}'.`,
    );
  },
  viewer: (_args: Args, { forge, viewer }: Context) => ({
    ...accountView(forge, viewer.account),
    __typename: "User",
  }),
  user: ({ login }: Args, { forge }: Context) => {
    const account = findAccount(forge, String(login));
    if (account?.type === "User") return accountView(forge, account);
    throw problem("NOT_FOUND", `Could not resolve to a User with the login of '${String(login)}'.`);
  },
  repositoryOwner: ({ login }: Args, { forge }: Context) => {
    const account = findAccount(forge, String(login));
    return account === null ? null : accountView(forge, account);
  },
  node: ({ id }: Args, context: Context) => nodeView(context, String(id)),
  nodes: ({ ids }: Args, context: Context) =>
    (ids as string[]).map((id) => settle(() => nodeView(context, id))),
  rateLimit: () => {
    const resetAt = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000)
      .toISOString()
      .replace(".000Z", "Z");
    return { cost: 1, limit: 5000, nodeCount: 0, remaining: 4999, used: 1, resetAt };
  },
  search: (args: Args, context: Context) => {
    const found = searchIssues(context, String(args.query));
    const view = (it: (typeof found)[number]): Json =>
      conversationNode(context.forge, repositoryOf(context.forge, it.repositoryId), it);
    const page = connection(found, args, view);
    const edges = (): Json[] => page.edges().map((it) => ({ ...it, textMatches: [] }));
    return { ...page, edges, issueCount: page.totalCount };
  },
};

/** One bad id must not hide the others: its error stands at its own place. */
async function settle<T>(work: () => T | Promise<T>): Promise<T> {
  return await work();
}
