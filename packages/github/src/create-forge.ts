import type { Account, Forge, ForgeRepository, RepositoryName } from "@worktree-hive/domain";
import { readBranchRules } from "./branch-rules.ts";
import { checkLog } from "./check-log.ts";
import { statusOf } from "./forge-error.ts";
import { replyToThread, upsertComment } from "./marked-comment.ts";
import { observePull } from "./observe-pull.ts";
import { findPull, openPull } from "./open-pull.ts";
import type { Permissions } from "./permission.ts";
import type { Transport } from "./transport.ts";

/** The `Forge` port over a transport. It has no door to a merge, and the transport refuses them all. */
export function createForge(
  transport: Transport,
  identity: () => Promise<Account>,
  permissions: Permissions,
): Forge {
  const reader = { transport, identity, permissions };
  return {
    identity,
    repository: (name) => readRepository(transport, name),
    branchTip: (name, branch) => readBranchTip(transport, name, branch),
    branchRules: (name, branch) => readBranchRules(transport, name, branch),
    observePull: (name, number) => observePull(reader, name, number),
    findPull: (name, branch) => findPull(transport, name, branch),
    openPull: (name, pull) => openPull(transport, name, pull),
    replyToThread: async (name, number, thread, comment) =>
      await replyToThread(transport, await identity(), name, number, thread, comment),
    upsertComment: async (name, number, comment) =>
      await upsertComment(transport, await identity(), name, number, comment),
    checkLog: (name, logId, maxBytes) => checkLog(transport, name, logId, maxBytes),
    permissionOf: (name, login) => permissions.permissionOf(name, login),
    commitAuthor: async (name, sha) => {
      const { data } = await transport.rest.repos.getCommit({ owner: name.owner, repo: name.name, ref: sha });
      return data.author?.login ?? data.commit.author?.name ?? "unknown";
    },
  };
}

async function readRepository(transport: Transport, name: RepositoryName): Promise<ForgeRepository> {
  const { data } = await transport.rest.repos.get({ owner: name.owner, repo: name.name });
  return {
    // As the forge spells it now: a rename answers under the new name (S37).
    name: { owner: data.owner.login, name: data.name },
    nodeId: data.node_id,
    defaultBranch: data.default_branch,
    archived: data.archived,
    cloneUrl: data.clone_url,
  };
}

async function readBranchTip(
  transport: Transport,
  name: RepositoryName,
  branch: string,
): Promise<string | null> {
  try {
    const ref = `heads/${branch}`;
    const { data } = await transport.rest.git.getRef({ owner: name.owner, repo: name.name, ref });
    return data.object.sha;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}
