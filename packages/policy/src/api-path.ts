/** A request target that means one thing only. */
export interface ApiPath {
  /** Decoded, without empty, `.` and `..` segments, without GitHub Enterprise's `/api/v3`. */
  readonly segments: readonly string[];
  /** Starts with `?` unless empty; encoded anew. */
  readonly query: string;
}

const OVERRIDES = new Set(["_method", "access_token", "client_secret"]);

/**
 * Normalises the target of a request as a client sent it: full URL or path, any encoding. What is judged is what is
 * forwarded (`formatApiPath`).
 * @returns null for a target that can be read in two ways
 */
export function parseApiPath(target: string): ApiPath | null {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").split("#")[0] ?? "";
  const at = path.indexOf("?");
  const decoded = decodeOnce(at < 0 ? path : path.slice(0, at));
  if (decoded === null) return null;
  const segments: string[] = [];
  for (const segment of decoded.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return null;
  }
  const query = parseQuery(at < 0 ? "" : path.slice(at + 1));
  if (query === null) return null;
  const enterprise = segments[0]?.toLowerCase() === "api" && /^(v3|graphql)$/i.test(segments[1] ?? "");
  const skip = enterprise ? (segments[1]?.toLowerCase() === "v3" ? 2 : 1) : 0;
  return { segments: segments.slice(skip), query };
}

/** The path to forward: every segment encoded, the query as parsed. */
export function formatApiPath({ segments, query }: ApiPath): string {
  return `/${segments.map(encodeURIComponent).join("/")}${query}`;
}

function decodeOnce(text: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    return null; // not UTF-8, or a broken escape
  }
  const hidden = Array.from(decoded).some((it) => it < " " || it === "\\" || it === "\u007f");
  return hidden || /%[0-9a-f]{2}/i.test(decoded) ? null : decoded;
}

function parseQuery(text: string): string | null {
  const parameters = new URLSearchParams(text);
  for (const name of parameters.keys()) {
    if (OVERRIDES.has(name.toLowerCase())) return null;
  }
  const query = parameters.toString();
  return query === "" ? "" : `?${query}`;
}
