/** Git refuses `.git` (in any spelling) in a tree, and knows no empty directory; both are saved under this prefix. */
const PREFIX = Buffer.from(".hive-escaped.");
const SLASH = 0x2f;

/** The path as it is stored in a snapshot's tree. An empty directory becomes a file of this name inside it. */
export function escapePath(path: Buffer, emptyDirectory: boolean): Buffer {
  const parts = split(path).map((part) => (needsEscape(part) ? Buffer.concat([PREFIX, part]) : part));
  return join(emptyDirectory ? [...parts, PREFIX] : parts);
}

/** The path on disk of a stored path, or the directory to make where it marks an empty one. */
export function unescapePath(stored: Buffer): { path: Buffer; emptyDirectory: boolean } {
  const parts = split(stored);
  const last = parts.at(-1);
  const emptyDirectory = last?.equals(PREFIX) ?? false;
  const kept = emptyDirectory ? parts.slice(0, -1) : parts;
  return { path: join(kept.map(unescapePart)), emptyDirectory };
}

/** Only what `escapePath` makes is undone: a crafted tree must not turn a name into `..`. */
function unescapePart(part: Buffer): Buffer {
  if (!startsWithPrefix(part)) return part;
  const name = part.subarray(PREFIX.length);
  return needsEscape(name) ? name : part;
}

function needsEscape(part: Buffer): boolean {
  return isDotGit(part) || startsWithPrefix(part);
}

/** As git's own check sees it, which also knows the short name of NTFS and what HFS+ leaves out of names. */
function isDotGit(part: Buffer): boolean {
  const plain = part.toString("utf8").replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "");
  return /^(\.git|git~\d+)[ .]*(:.*)?$/i.test(plain);
}

function startsWithPrefix(part: Buffer): boolean {
  return part.subarray(0, PREFIX.length).equals(PREFIX);
}

function split(path: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; ; ) {
    const end = path.indexOf(SLASH, from);
    parts.push(path.subarray(from, end === -1 ? path.length : end));
    if (end === -1) return parts;
    from = end + 1;
  }
}

function join(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from("/"), part])));
}
