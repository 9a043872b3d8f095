import type { RepositoryName, Verdict } from "@worktree-hive/domain";
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  type ValueNode,
} from "graphql";
import { sameName } from "./judge-rest.ts";
import { allow, deny } from "./rule.ts";

export interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | null;
  readonly repository: RepositoryName;
}

const MAX_TOKENS = 10_000;
const MERGES = new Set(["mergepullrequest", "mergebranch", "enqueuepullrequest", "revertpullrequest"]);
const ROOTS = new Set(["repository", "ratelimit", "viewer", "__schema", "__type", "__typename"]);
const VIEWER_FIELDS = new Set(["login", "id", "databaseid", "__typename"]);
/** Fields that lead from one repository to others. */
const WAYS_OUT = new Set([
  "repositories",
  "repositoriescontributedto",
  "starredrepositories",
  "toprepositories",
  "watching",
  "forks",
  "organization",
  "organizations",
  "enterprise",
  "enterprises",
  "gists",
  "pinneditems",
  "itemshowcase",
  "contributionscollection",
]);

/**
 * Judges a GraphQL request: every operation in the document must be a query whose root fields are on the list, and
 * `repository` must be the job's own. Aliases and fragments hide nothing.
 */
export function judgeGraphql(request: GraphqlRequest): Verdict {
  const document = parseDocument(request.query);
  if (document === null) return deny("api.malformed");
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    else if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
    else return deny("api.malformed");
  }
  const names = operations.map((operation) => operation.name?.value);
  const ambiguous = operations.length > 1 && !names.includes(request.operationName ?? "");
  if (operations.length === 0 || ambiguous) return deny("api.malformed");
  const refused = operations
    .map((operation) => judgeOperation(operation, fragments, request))
    .find((verdict) => verdict !== null);
  return refused ?? allow("api.read", "a query of the own repository");
}

function parseDocument(query: string): DocumentNode | null {
  try {
    return parse(query, { maxTokens: MAX_TOKENS, noLocation: true });
  } catch {
    return null; // a syntax error, or too long: the caller refuses
  }
}

function judgeOperation(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  request: GraphqlRequest,
): Verdict | null {
  const fields = fieldsOf(operation.selectionSet, fragments);
  if (fields === null) return deny("api.malformed");
  if (operation.operation !== "query") return deny(doorOf(fields));
  for (const field of fields) {
    const verdict = judgeRoot(field, operation, fragments, request);
    if (verdict !== null) return verdict;
  }
  return null;
}

function judgeRoot(
  field: FieldNode,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  { repository, variables }: GraphqlRequest,
): Verdict | null {
  const name = field.name.value.toLowerCase();
  if (!ROOTS.has(name)) return deny("api.unlisted", `the root field ${field.name.value} is not on the list`);
  if (name === "repository") {
    const [owner, repo] = ["owner", "name"].map((argument) =>
      argumentOf(field, argument, operation, variables),
    );
    if (owner === null || owner === undefined || repo === null || repo === undefined)
      return deny("api.malformed");
    if (!sameName(repository, { owner, name: repo })) return deny("api.other-repository");
  }
  const nested = field.selectionSet === undefined ? [] : allFields(field.selectionSet, fragments);
  if (nested === null) return deny("api.malformed");
  const seen = nested.map((it) => it.name.value);
  const out = seen.find((it) =>
    name === "viewer" ? !VIEWER_FIELDS.has(it.toLowerCase()) : WAYS_OUT.has(it.toLowerCase()),
  );
  return out === undefined ? null : deny("api.other-repository", `${out} leads out of the own repository`);
}

/** The value of a string argument, through a variable or its default; null when it is not a string. */
function argumentOf(
  field: FieldNode,
  argument: string,
  operation: OperationDefinitionNode,
  variables: GraphqlRequest["variables"],
): string | null {
  const given = field.arguments?.filter((it) => it.name.value === argument) ?? [];
  const value = given.length === 1 ? given[0]?.value : undefined;
  if (value?.kind !== Kind.VARIABLE) return stringOf(value);
  const name = value.name.value;
  if (variables !== null && variables !== undefined && Object.hasOwn(variables, name)) {
    const told = variables[name];
    return typeof told === "string" ? told : null;
  }
  const declared = operation.variableDefinitions?.find((it) => it.variable.name.value === name);
  return stringOf(declared?.defaultValue);
}

function stringOf(value: ValueNode | undefined): string | null {
  return value?.kind === Kind.STRING ? value.value : null;
}

/** The fields of one level with fragments expanded; null for an unknown or circular fragment. */
function fieldsOf(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  open: readonly string[] = [],
): FieldNode[] | null {
  const fields: FieldNode[] = [];
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      fields.push(selection);
      continue;
    }
    const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : null;
    const inner = name === null ? selection : fragments.get(name);
    if (inner === undefined || !("selectionSet" in inner) || (name !== null && open.includes(name)))
      return null;
    const found = fieldsOf(inner.selectionSet, fragments, name === null ? open : [...open, name]);
    if (found === null) return null;
    fields.push(...found);
  }
  return fields;
}

/** Every field at any depth; each fragment is read once. */
function allFields(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FieldNode[] | null {
  const fields: FieldNode[] = [];
  const read = new Set<string>();
  const waiting = [set];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const selection of next.selections) {
      if (selection.kind === Kind.FIELD) fields.push(selection);
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        if (selection.selectionSet !== undefined) waiting.push(selection.selectionSet);
        continue;
      }
      const fragment = fragments.get(selection.name.value);
      if (fragment === undefined) return null;
      if (read.has(selection.name.value)) continue;
      read.add(selection.name.value);
      waiting.push(fragment.selectionSet);
    }
  }
  return fields;
}

function doorOf(fields: readonly FieldNode[]): string {
  const names = fields.map((field) => field.name.value.toLowerCase());
  if (names.includes("enablepullrequestautomerge")) return "merge.auto";
  return names.some((name) => MERGES.has(name)) ? "merge.graphql" : "api.write";
}
