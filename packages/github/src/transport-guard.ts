import { HiveError } from "@worktree-hive/domain";
import { type DocumentNode, type FragmentDefinitionNode, Kind, parse, type SelectionSetNode } from "graphql";
import { COMMENT_DOORS, GRAPHQL_DOORS, REST_DOORS, REST_WRITES } from "./merge-doors.ts";

/** A request as it would go out. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}

/**
 * Judges a request before a byte of it is sent (S40).
 * @returns whether it writes, so that writes can be spaced
 * @throws HiveError FORGE_DOOR_REFUSED for a merge door, for a write the hive has no use for, and for a foreign host
 */
export function guardRequest(request: OutgoingRequest, apiUrl: string): { readonly writes: boolean } {
  const url = new URL(request.url);
  // A paging link of a strange host would carry the token there.
  if (url.origin !== new URL(apiUrl).origin) throw refused("foreign-host", request);
  const path = normalPath(url.pathname);
  if (path === "/graphql") return guardGraphql(request);
  const method = request.method.toUpperCase();
  if (method === "GET" || method === "HEAD") return { writes: false };
  const tail = repositoryTail(path);
  const door = tail === null ? undefined : REST_DOORS.find((entry) => entry.path.test(tail));
  if (door !== undefined) throw refused(door.door, request);
  const known = REST_WRITES.some(
    (write) => write.method === method && tail !== null && write.path.test(tail),
  );
  if (!known) throw refused("unlisted-write", request);
  if (COMMENT_DOORS.some((pattern) => pattern.test(textOf(request.body)))) throw refused("comment", request);
  return { writes: true };
}

function guardGraphql(request: OutgoingRequest): { readonly writes: boolean } {
  const text = stringField(request.body, "query");
  if (text === null) throw refused("graphql-without-document", request);
  const fields = mutationFields(parseDocument(text, request));
  const door = fields.find((field) => GRAPHQL_DOORS.includes(field));
  if (door !== undefined) throw refused(door, request);
  // The hive writes over REST only.
  if (fields.length > 0) throw refused("unlisted-mutation", request);
  return { writes: false };
}

function parseDocument(text: string, request: OutgoingRequest): DocumentNode {
  try {
    return parse(text, { noLocation: true });
  } catch (cause) {
    throw refused("graphql-unreadable", request, cause);
  }
}

/** Root fields of every mutation and subscription of a document, whatever operation would run, aliases ignored. */
function mutationFields(document: DocumentNode): string[] {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  return document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION && node.operation !== "query"
      ? rootFields(node.selectionSet, fragments, new Set())
      : [],
  );
}

function rootFields(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  seen: Set<string>,
): string[] {
  return set.selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node.name.value];
    if (node.kind === Kind.INLINE_FRAGMENT) return rootFields(node.selectionSet, fragments, seen);
    const fragment = fragments.get(node.name.value);
    if (fragment === undefined || seen.has(node.name.value)) return [];
    seen.add(node.name.value);
    return rootFields(fragment.selectionSet, fragments, seen);
  });
}

/** Decoded as often as it is encoded, lower-case, single slashes, without the prefix of an enterprise server. */
function normalPath(pathname: string): string {
  let path = pathname;
  for (let turn = 0; turn < 5 && path.includes("%"); turn += 1) path = decodeOnce(path);
  const plain = path.toLowerCase().replaceAll(/\/{2,}/g, "/");
  return plain.replace(/^\/api(\/v3)?(?=\/)/, "").replace(/(?<=.)\/$/, "");
}

function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    // A stray percent sign is a character of a branch name; the path is judged as it stands.
    if (error instanceof URIError) return path;
    throw error;
  }
}

function repositoryTail(path: string): string | null {
  return /^\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)(\/.+)$/.exec(path)?.[1] ?? null;
}

function textOf(body: unknown): string {
  return [stringField(body, "title"), stringField(body, "body")].join("\n");
}

function stringField(body: unknown, name: string): string | null {
  if (typeof body !== "object" || body === null) return null;
  const value = Object.entries(body).find(([key]) => key === name)?.[1] as unknown;
  return typeof value === "string" ? value : null;
}

function refused(door: string, request: OutgoingRequest, cause?: unknown): HiveError {
  const { pathname } = new URL(request.url);
  return new HiveError("FORGE_DOOR_REFUSED", "denied", `The hive does not use "${door}" of the forge.`, {
    hint: "A human does this. Nothing was sent.",
    context: { door, method: request.method, path: pathname },
    ...(cause === undefined ? {} : { cause }),
  });
}
