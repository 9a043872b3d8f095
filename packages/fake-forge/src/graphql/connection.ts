import { type Args, problem } from "./context.ts";

/** GitHub's bound on one page. */
const MOST = 100;

interface Connection<T> {
  totalCount: number;
  nodes: T[];
  edges: { cursor: string; node: T }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}

const cursorOf = (index: number): string => Buffer.from(`cursor:${index}`).toString("base64");

function indexOf(cursor: unknown): number | null {
  if (typeof cursor !== "string") return null;
  const index = /^cursor:(\d+)$/.exec(Buffer.from(cursor, "base64").toString("utf8"))?.[1];
  if (index === undefined)
    throw problem("UNPROCESSABLE", `\`${cursor}\` does not appear to be a valid cursor.`);
  return Number(index);
}

/** One page of `items`; like GitHub it insists on `first` or `last`, and on at most 100. */
export function connection<S, T>(items: readonly S[], args: Args, render: (item: S) => T): Connection<T> {
  const first = sizeOf(args.first);
  const last = sizeOf(args.last);
  let from = (indexOf(args.after) ?? -1) + 1;
  let to = indexOf(args.before) ?? items.length;
  if (first !== null) to = Math.min(to, from + first);
  if (last !== null) from = Math.max(from, to - last);
  if (first === null && last === null) {
    throw problem(
      "UNPROCESSABLE",
      "You must provide a `first` or `last` value to properly paginate the connection.",
    );
  }
  const edges = items.slice(from, to).map((item, n) => ({ cursor: cursorOf(from + n), node: render(item) }));
  return {
    totalCount: items.length,
    nodes: edges.map((it) => it.node),
    edges,
    pageInfo: {
      hasNextPage: to < items.length,
      hasPreviousPage: from > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

function sizeOf(value: unknown): number | null {
  if (typeof value !== "number") return null;
  if (value > MOST)
    throw problem("UNPROCESSABLE", `Requesting ${value} records exceeds the limit of ${MOST} records.`);
  return value;
}

/** A connection that never has anything: what this forge does not model, and says so by being empty. */
export function nothing(args: Args): Connection<never> {
  return connection([], { first: 1, ...args }, (it: never) => it);
}
