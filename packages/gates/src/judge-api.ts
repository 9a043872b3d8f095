import type { RepositoryName, Verdict } from "@worktree-hive/domain";
import { deny, formatApiPath, judgeGraphql, judgeRest, parseApiPath } from "@worktree-hive/policy";
import type { ApiRequest, ForwardedRequest } from "./api-forward.ts";

const FORWARDED_HEADERS = ["accept", "if-none-match", "x-github-api-version", "graphql-features"];
const QUERY_KEYS = new Set(["query", "operationName", "variables"]);

/** Judges a request and builds what is sent on: never the client's own bytes. `forward` is null when it is refused. */
export function judgeApi(
  request: ApiRequest,
  repository: RepositoryName,
  allowedPull: number | undefined,
): { readonly verdict: Verdict; readonly forward: ForwardedRequest | null } {
  const path = parseApiPath(request.target);
  if (path === null || hasTricks(request)) return { verdict: deny("api.malformed"), forward: null };
  const headers = forwardedHeaders(request);
  if (path.segments.length === 1 && path.segments[0] === "graphql") {
    const { verdict, body } = judgeQuery(request, repository);
    return { verdict, forward: body === null ? null : { method: "POST", path: "/graphql", headers, body } };
  }
  const verdict = judgeRest({
    method: request.method,
    path: request.target,
    repository,
    ...(allowedPull === undefined ? {} : { allowedPull }),
  });
  if (verdict.decision !== "allow") return { verdict, forward: null };
  if (request.body.length > 0) return { verdict: deny("api.malformed"), forward: null };
  return { verdict, forward: { method: request.method, path: formatApiPath(path), headers, body: null } };
}

function judgeQuery(
  request: ApiRequest,
  repository: RepositoryName,
): { readonly verdict: Verdict; readonly body: string | null } {
  const asked = request.method === "POST" ? parseQueryBody(request.body) : null;
  if (asked === null) return { verdict: deny("api.malformed"), body: null };
  const verdict = judgeGraphql({ ...asked, repository });
  return { verdict, body: verdict.decision === "allow" ? JSON.stringify(asked) : null };
}

interface QueryBody {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** One plain query: no batch, no persisted query, nothing beside the three known keys. */
function parseQueryBody(body: Buffer): QueryBody | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return null; // not JSON in UTF-8: the caller refuses
  }
  if (!isRecord(value) || Object.keys(value).some((key) => !QUERY_KEYS.has(key))) return null;
  const { query, operationName = null, variables } = value;
  if (typeof query !== "string") return null;
  if (operationName !== null && typeof operationName !== "string") return null;
  const given = variables ?? {};
  return isRecord(given) ? { query, operationName, variables: given } : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasTricks({ headers }: ApiRequest): boolean {
  const encoded = headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity";
  return encoded || Object.keys(headers).some((name) => /method-?override|^x-http-method$/.test(name));
}

function forwardedHeaders({ headers }: ApiRequest): Record<string, string> {
  return Object.fromEntries(
    FORWARDED_HEADERS.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" && value.length < 1000 ? [[name, value]] : [];
    }),
  );
}
