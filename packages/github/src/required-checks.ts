import { HiveError, type RepositoryName } from "@worktree-hive/domain";
import type { Transport } from "./transport.ts";

/** A check that must pass before a merge; `app` when only that app's result counts. */
export interface RequiredCheck {
  readonly name: string;
  readonly app: number | null;
}

/** What rulesets and classic protection of a branch require together (S03). */
export async function readRequiredChecks(
  transport: Transport,
  name: RepositoryName,
  branch: string,
): Promise<readonly RequiredCheck[]> {
  const found = await Promise.all([
    absentAsNone(fromRulesets(transport, name, branch)),
    absentAsNone(fromProtection(transport, name, branch)),
  ]);
  const distinct = new Map(found.flat().map((check) => [JSON.stringify([check.name, check.app]), check]));
  return [...distinct.values()];
}

async function fromRulesets(
  transport: Transport,
  name: RepositoryName,
  branch: string,
): Promise<RequiredCheck[]> {
  const rules = await transport.paginate(transport.rest.repos.getBranchRules, {
    owner: name.owner,
    repo: name.name,
    branch,
    per_page: 100,
  });
  return rules.flatMap((rule) =>
    rule.type === "required_status_checks"
      ? (rule.parameters?.required_status_checks ?? []).map((check) => ({
          name: check.context,
          app: check.integration_id ?? null,
        }))
      : [],
  );
}

/** From the branch itself: its protection endpoint answers 404 both for "none" and for "not yours to see". */
async function fromProtection(
  transport: Transport,
  name: RepositoryName,
  branch: string,
): Promise<RequiredCheck[]> {
  const { data } = await transport.rest.repos.getBranch({ owner: name.owner, repo: name.name, branch });
  const required: ProtectionSummary | undefined = data.protection?.required_status_checks;
  if (required === undefined || required.enforcement_level === "off") return [];
  if (required.checks !== undefined) {
    // The forge spells "any app" as null or as -1.
    return required.checks.map(({ context, app_id: app }) => ({
      name: context,
      app: app === undefined || app === null || app < 0 ? null : app,
    }));
  }
  return (required.contexts ?? []).map((context) => ({ name: context, app: null }));
}

interface ProtectionSummary {
  readonly enforcement_level?: string;
  readonly contexts?: readonly string[];
  readonly checks?: readonly { readonly context: string; readonly app_id?: number | null }[];
}

/** A branch that is gone, or a plan without rules, requires nothing that we could name. */
async function absentAsNone(reading: Promise<RequiredCheck[]>): Promise<RequiredCheck[]> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof HiveError && (error.kind === "invalid" || error.kind === "denied")) return [];
    throw error;
  }
}
