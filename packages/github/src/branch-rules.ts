import type { RepositoryName } from "@worktree-hive/domain";
import type { Transport } from "./transport.ts";

/** Names of the active rules on a branch, and `protection` where it is protected the classic way. */
export async function readBranchRules(
  transport: Transport,
  { owner, name }: RepositoryName,
  branch: string,
): Promise<readonly string[]> {
  const at = { owner, repo: name, branch };
  const rules = await transport.paginate(transport.rest.repos.getBranchRules, { ...at, per_page: 100 });
  const { data } = await transport.rest.repos.getBranch(at);
  const types = rules.map((rule) => String(rule.type));
  return [...new Set([...types, ...(data.protected ? ["protection"] : [])])];
}
