import type { Forge } from "../forge.ts";
import { createIssue } from "../operations/issues.ts";
import { createRepository } from "../operations/repositories.ts";
import { addHook } from "../rest/hooks.ts";
import { findRepository } from "../state/lookup.ts";
import type { Seed, SeedRepository } from "./seed-schema.ts";

/** Fills an empty forge. Hooks are added last, so the seed itself announces nothing. */
export async function applySeed(forge: Forge, seed: Seed): Promise<void> {
  for (const user of seed.users) {
    forge.state.accounts.push({
      id: user.id ?? forge.nextId(),
      login: user.login,
      type: user.type,
      name: user.name ?? null,
      restLogin: user.restLogin ?? null,
      createdAt: forge.now(),
    });
  }
  for (const token of seed.tokens) {
    const { permissions = null, repositories = null } = token;
    forge.state.tokens.push({
      token: token.token,
      login: token.login,
      permissions,
      repositories,
      admin: token.admin,
    });
  }
  for (const repository of seed.repositories) await addRepository(forge, repository);
  for (const issue of seed.issues) {
    const [owner = "", name = ""] = issue.repository.split("/");
    const repo = findRepository(forge, owner, name);
    if (repo !== null) createIssue(forge, repo, issue.author, { ...issue, body: issue.body ?? null });
  }
  for (const script of seed.reviewers) {
    const { pullTitleMatches = null, issue = null } = script;
    forge.state.reviewers.push({ ...script, pullTitleMatches, issue });
  }
  addHooks(forge, seed);
  forge.changed();
}

async function addRepository(forge: Forge, seed: SeedRepository): Promise<void> {
  const protectedBranches = seed.protectedBranches.map((it) => ({
    name: it.name,
    denied: it.denied ?? null,
  }));
  const covered = protectedBranches.some((it) => it.name === seed.defaultBranch);
  if (seed.protected && !covered) protectedBranches.push({ name: seed.defaultBranch, denied: null });
  await createRepository(forge, {
    ...seed,
    description: seed.description ?? null,
    labels: seed.labels.map((it) => ({ ...it, description: it.description ?? null })),
    protectedBranches,
  });
}

function addHooks(forge: Forge, seed: Seed): void {
  for (const { owner, name, webhooks } of seed.repositories) {
    const repo = findRepository(forge, owner, name);
    for (const hook of webhooks) if (repo !== null) addHook(forge, repo, { ...hook, active: true });
  }
}
