import { type Args, problem } from "./context.ts";

/** GitHub's bound on one page. */
const MOST = 100;

export interface Connection<T> {
  totalCount: number;
  nodes: () => T[];
  edges: () => { cursor: string; node: T }[];
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

/** One page of `items`, at most 100; like GitHub it insists on `first` or `last`, unless only the count is read. */
export function connection<S, T>(items: readonly S[], args: Args, render: (item: S) => T): Connection<T> {
  const { from, to, bounded } = boundsOf(items.length, args);
  const edges = (): { cursor: string; node: T }[] => {
    if (bounded)
      return items.slice(from, to).map((item, n) => ({ cursor: cursorOf(from + n), node: render(item) }));
    throw problem(
      "UNPROCESSABLE",
      "You must provide a `first` or `last` value to properly paginate the connection.",
    );
  };
  return {
    totalCount: items.length,
    nodes: () => edges().map((it) => it.node),
    edges,
    pageInfo: {
      hasNextPage: to < items.length,
      hasPreviousPage: from > 0,
      startCursor: to > from ? cursorOf(from) : null,
      endCursor: to > from ? cursorOf(to - 1) : null,
    },
  };
}

function boundsOf(length: number, args: Args): { from: number; to: number; bounded: boolean } {
  const first = sizeOf(args.first);
  const last = sizeOf(args.last);
  let from = (indexOf(args.after) ?? -1) + 1;
  let to = indexOf(args.before) ?? length;
  if (first !== null) to = Math.min(to, from + first);
  if (last !== null) from = Math.max(from, to - last);
  return { from, to, bounded: first !== null || last !== null };
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
