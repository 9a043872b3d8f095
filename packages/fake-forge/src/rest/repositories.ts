import { z } from "zod";
import { permits, roleOf } from "../auth/access.ts";
import { ApiError, notFound } from "../errors.ts";
import { type Answer, bodyOf, type Call, pageOf } from "../http/call.ts";
import type { Routes } from "../http/routes.ts";
import { createRepository } from "../operations/repositories.ts";
import { renderAccount, renderProfile } from "../render/account.ts";
import { renderFullRepository, renderRepository } from "../render/repository.ts";
import type { Account } from "../state/accounts.ts";
import { findAccount, fullName } from "../state/lookup.ts";

const NewRepo = z.object({
  name: z.string().regex(/^[\w.-]+$/),
  description: z.string().nullish(),
  private: z.boolean().default(false),
  auto_init: z.boolean().default(false),
});

/** Repositories, users, and what a token may know about itself. */
export function repositoryRoutes(routes: Routes): void {
  routes.read("", ["metadata:read"], ({ forge, repo, viewer }) => ({
    body: renderFullRepository(forge, repo, permits(viewer, repo, ["administration:read"])),
  }));
  routes.plain("POST", "/user/repos", true, (call) => create(call, call.viewer?.account ?? null));
  routes.plain("POST", "/orgs/:org/repos", true, (call) =>
    create(call, findAccount(call.forge, call.params.org ?? "")),
  );
  routes.plain("GET", "/user", true, ({ forge, viewer }) => {
    if (viewer?.account.type === "Bot") throw new ApiError(403, "Resource not accessible by integration");
    return { body: viewer === null ? {} : renderProfile(forge, viewer.account) };
  });
  routes.plain("GET", "/users/:login", false, ({ forge, params }) => {
    const account = findAccount(forge, params.login ?? "");
    if (account === null) throw notFound();
    return { body: renderProfile(forge, account) };
  });
  routes.plain("GET", "/installation/repositories", true, (call) => {
    const { forge, viewer } = call;
    if (viewer?.account.type !== "Bot")
      throw new ApiError(403, "You must authenticate with an installation access token");
    const granted = forge.state.repositories.filter(
      (it) => viewer.token.repositories?.includes(fullName(it)) ?? true,
    );
    const page = pageOf(call, granted);
    return {
      body: { total_count: page.total, repositories: page.items.map((it) => renderRepository(forge, it)) },
    };
  });
  routes.plain("GET", "/rate_limit", false, ({ reply }) => ({ body: rateLimit(reply.getHeaders()) }));
  routes.read("/collaborators/:login/permission", ["metadata:read"], ({ forge, repo, params }) => {
    const account = findAccount(forge, params.login ?? "");
    if (account === null) throw notFound();
    const role = account.type === "Bot" ? "none" : roleOf(repo, account);
    const effective = role === "none" && !repo.private ? "read" : role;
    const permission = { maintain: "write", triage: "read" }[effective as string] ?? effective;
    const user = {
      ...renderAccount(forge, account),
      permissions: permissionsOf(effective),
      role_name: effective,
    };
    return { body: { permission, role_name: effective, user } };
  });
}

function permissionsOf(role: string): Record<string, boolean> {
  const order = ["read", "triage", "write", "maintain", "admin"];
  const rank = order.indexOf(role);
  const names = { pull: 0, triage: 1, push: 2, maintain: 3, admin: 4 };
  return Object.fromEntries(Object.entries(names).map(([name, needed]) => [name, rank >= needed]));
}

async function create(call: Call, owner: Account | null): Promise<Answer> {
  const input = bodyOf(call, NewRepo);
  const { viewer } = call;
  if (owner === null || viewer === null) throw notFound();
  if (!viewer.token.admin && (viewer.account.login !== owner.login || viewer.token.permissions !== null)) {
    throw new ApiError(403, "Resource not accessible by personal access token");
  }
  const repo = await createRepository(call.forge, {
    owner: owner.login,
    name: input.name,
    description: input.description ?? null,
    private: input.private,
    defaultBranch: "main",
    ...(input.auto_init ? { files: { "README.md": `# ${input.name}\n` } } : {}),
  });
  return { status: 201, body: renderFullRepository(call.forge, repo, true) };
}

function rateLimit(headers: Record<string, unknown>): unknown {
  const limit = Number(headers["x-ratelimit-limit"]);
  const remaining = Number(headers["x-ratelimit-remaining"]);
  const rate = { limit, remaining, used: limit - remaining, reset: Number(headers["x-ratelimit-reset"]) };
  const full = { limit: 30, remaining: 30, used: 0, reset: rate.reset };
  return { resources: { core: rate, search: full, graphql: rate }, rate };
}
