import { ApiError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { createBareRepository, repositoryPath } from "../git/bare-repository.ts";
import { commitFiles } from "../git/merge.ts";
import { moveRef, NO_SHA } from "../git/refs.ts";
import { accountOf, findRepository } from "../state/lookup.ts";
import type { CheckConfig, Label, ProtectedBranch, Repository, Role } from "../state/repositories.ts";
import { personOf } from "./merge-pull.ts";

export interface NewRepository {
  owner: string;
  name: string;
  description: string | null;
  private: boolean;
  defaultBranch: string;
  source?: string | undefined;
  files?: Record<string, string> | undefined;
  collaborators?: Record<string, Role>;
  checks?: CheckConfig[];
  labels?: Omit<Label, "id">[];
  protectedBranches?: ProtectedBranch[];
  deleteBranchOnMerge?: boolean;
}

/** Makes a repository with its bare git repository. Throws 422 when the name is taken. */
export async function createRepository(forge: Forge, input: NewRepository): Promise<Repository> {
  if (findRepository(forge, input.owner, input.name) !== null) {
    const problem = {
      resource: "Repository",
      code: "custom",
      field: "name",
      message: "name already exists on this account",
    };
    throw new ApiError(422, "Repository creation failed.", [problem]);
  }
  const now = forge.now();
  const repo: Repository = {
    id: forge.nextId(),
    owner: input.owner,
    name: input.name,
    description: input.description,
    private: input.private,
    defaultBranch: input.defaultBranch,
    collaborators: input.collaborators ?? {},
    checks: input.checks ?? [],
    labels: (input.labels ?? []).map((it) => ({ ...it, id: forge.nextId() })),
    protectedBranches: input.protectedBranches ?? [],
    deleteBranchOnMerge: input.deleteBranchOnMerge ?? false,
    nextNumber: 1,
    createdAt: now,
    updatedAt: now,
    pushedAt: now,
  };
  await createBareRepository(forge, repo, input.source);
  if (input.files !== undefined) await commitFirst(forge, repo, input.files);
  forge.state.repositories.push(repo);
  forge.changed();
  return repo;
}

async function commitFirst(forge: Forge, repo: Repository, files: Record<string, string>): Promise<void> {
  const path = repositoryPath(forge, repo);
  const index = `${forge.dataDir}/tmp/index-${repo.id}`;
  const person = personOf(accountOf(forge, repo.owner));
  const sha = await commitFiles(path, files, { parent: null, message: "Initial commit", person, index });
  await moveRef(path, `refs/heads/${repo.defaultBranch}`, sha, NO_SHA);
}
