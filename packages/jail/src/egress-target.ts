import { HiveError } from "@worktree-hive/domain";

/** A host (lower case, no final dot, IPv6 without brackets) and a port that a run wants to reach. */
export interface EgressTarget {
  readonly host: string;
  readonly port: number;
}

/** One entry of an allow-list, read. */
export interface EgressPattern {
  readonly host: string;
  /** True for `*.host`: every name below it, but not the host itself. */
  readonly below: boolean;
  /** Null where the entry names no port. */
  readonly port: number | null;
}

/** How far a target is allowed: only on public addresses, or wherever its name leads. */
export type Allowance = "denied" | "public" | "anywhere";

/** Ports that an entry without a port stands for: http and https. */
const WEB_PORTS: readonly number[] = [80, 443];

/**
 * Reads one entry of an allow-list: `host`, `host:port`, `*.host` or `*.host:port`.
 * @throws HiveError EGRESS_PATTERN_INVALID (invalid)
 */
export function parseEgressPattern(text: string): EgressPattern {
  const below = text.startsWith("*.");
  const authority = below ? text.slice(2) : text;
  const named = /:\d+$/.test(authority);
  const target = parseAuthority(named ? authority : `${authority}:443`);
  if (target !== null) return { host: target.host, below, port: named ? target.port : null };
  throw new HiveError("EGRESS_PATTERN_INVALID", "invalid", `"${text}" is not a host or host:port`, {
    hint: "write for example registry.npmjs.org, *.example.com or 127.0.0.1:8080",
  });
}

/** Reads `host:port` as CONNECT has it; null for anything else. Every spelling of an address becomes one. */
export function parseAuthority(authority: string): EgressTarget | null {
  if (!/^[^\s/?#@\\*]+:\d{1,5}$/.test(authority)) return null;
  const url = parseUrl(`http://${authority}`);
  return url === null ? null : targetOf(url);
}

/** Reads the absolute form of a request target; null unless it is plain http without a user. */
export function parseHttpTarget(
  text: string,
): { readonly target: EgressTarget; readonly path: string } | null {
  const url = parseUrl(text);
  if (url?.protocol !== "http:" || url.username !== "" || url.password !== "") return null;
  const target = targetOf(url);
  return target === null ? null : { target, path: `${url.pathname}${url.search}` };
}

/** What the allow-list says of a target. Only an entry that names exactly its host and port opens private addresses. */
export function allowanceOf(patterns: readonly EgressPattern[], { host, port }: EgressTarget): Allowance {
  if (patterns.some((one) => !one.below && one.host === host && one.port === port)) return "anywhere";
  const fits = patterns.some(
    (one) =>
      (one.below ? host.endsWith(`.${one.host}`) : host === one.host) &&
      (one.port === null ? WEB_PORTS.includes(port) : one.port === port),
  );
  return fits ? "public" : "denied";
}

/** The target as it is written in a verdict. */
export function describeTarget({ host, port }: EgressTarget): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function targetOf(url: URL): EgressTarget | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const port = url.port === "" ? 80 : Number(url.port);
  return host === "" || port === 0 ? null : { host, port };
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null; // not a URL: refused by the caller
  }
}
