import { isOn, type OptionTable, type ParsedOptions, parseOptions } from "./options.ts";
import { ALLOWED, type Arg, type CommandVerdict, refuse, type Scene } from "./scene.ts";

const PUSH: OptionTable = {
  long: {
    all: "flag",
    branches: "flag",
    atomic: "flag",
    delete: "flag",
    "dry-run": "flag",
    exec: "value",
    "follow-tags": "flag",
    force: "flag",
    "force-if-includes": "flag",
    "force-with-lease": "maybe",
    help: "flag",
    ipv4: "flag",
    ipv6: "flag",
    mirror: "flag",
    porcelain: "flag",
    progress: "flag",
    prune: "flag",
    "push-option": "value",
    quiet: "flag",
    "receive-pack": "value",
    "recurse-submodules": "value",
    repo: "value",
    "set-upstream": "flag",
    signed: "maybe",
    tags: "flag",
    thin: "flag",
    verbose: "flag",
    verify: "flag",
  },
  short: {
    "4": "ipv4",
    "6": "ipv6",
    d: "delete",
    f: "force",
    h: "help",
    n: "dry-run",
    o: "push-option",
    q: "quiet",
    u: "set-upstream",
    v: "verbose",
  },
};

const PLAIN_FLAGS = [
  ["mirror", "push.force-bare"],
  ["force", "push.force-bare"],
  ["delete", "push.delete"],
  ["prune", "push.delete"],
  ["all", "push.ref-other"],
  ["branches", "push.ref-other"],
  ["tags", "push.ref-other"],
  ["follow-tags", "push.ref-other"],
  ["receive-pack", "git.exec-inject"],
  ["exec", "git.exec-inject"],
] as const;

/** Judges the words after `git push`. What depends on the remote's state stays with the git gate. */
export function judgeGitPush(args: readonly Arg[], { context }: Scene): CommandVerdict {
  const parsed = parseOptions(args, PUSH);
  if (isOn(parsed, "help")) return ALLOWED;
  const flag = PLAIN_FLAGS.find(([name]) => isOn(parsed, name));
  if (flag !== undefined) return refuse(flag[1]);
  if (parsed.options.some(({ name, no }) => name === "verify" && no)) return refuse("guard.skip");
  if (parsed.options.some(({ name }) => !Object.hasOwn(PUSH.long, name))) return refuse("shell.unreadable");
  const target = judgePushTarget(parsed, context.branch);
  if (target !== null) return target;
  if (context.fixesLeft !== undefined && context.fixesLeft <= 0 && !isOn(parsed, "dry-run")) {
    return refuse("cap.exceeded");
  }
  return judgeLease(parsed, context.branch);
}

function judgeLease(parsed: ParsedOptions, branch: string): CommandVerdict {
  const leases = parsed.options.filter(({ name }) => name === "force-with-lease");
  const last = leases.at(-1);
  if (last === undefined || last.no) return ALLOWED;
  const refs = leases.flatMap(({ value }) => (value === null ? [] : [value.text.split(":")[0] ?? ""]));
  if (refs.some((ref) => !isOwn(ref, branch))) return refuse("push.lease-other");
  const reason = "the git gate compares the lease with its recorded tip";
  return { decision: "needs_lease_check", rule: "push.lease-own", reason };
}

function judgePushTarget({ options, positionals }: ParsedOptions, branch: string): CommandVerdict | null {
  const lease = options.some(({ name, no }) => name === "force-with-lease" && !no);
  const repo = options.findLast(({ name }) => name === "repo")?.value ?? null;
  const [first, ...refspecs] = positionals;
  const remote = first ?? repo;
  if (remote !== null && !remote.known)
    return refuse("push.remote-other", "the remote is decided at run time");
  if (remote !== null && remote.text !== "origin") {
    if (remote.text.includes("::")) return refuse("git.exec-inject");
    return refuse(remote.text === "." ? "ref.local-other" : "push.remote-other");
  }
  if (refspecs.some(({ text }) => text === "tag")) return refuse("push.ref-other");
  for (const refspec of refspecs) {
    const verdict = judgeRefspec(refspec, refspecs.length, branch, lease);
    if (verdict !== null) return verdict;
  }
  return refspecs.length > 1 ? refuse("push.one-ref") : null;
}

function judgeRefspec(
  { text, known }: Arg,
  count: number,
  branch: string,
  lease: boolean,
): CommandVerdict | null {
  if (text.startsWith("+")) return refuse("push.force-bare");
  // A lone unknown refspec is judged by the gate; with others it could be an option.
  if (!known) return count === 1 && !/^[$`]/.test(text) ? null : refuse("shell.unreadable");
  const [source = "", target = source] = text.split(":");
  if (text === ":") return refuse("push.ref-other");
  if (source === "") return refuse("push.delete");
  if (isOwn(target, branch)) return null;
  return refuse(lease ? "push.lease-other" : "push.ref-other", `${target} is not the branch of this job`);
}

function isOwn(ref: string, branch: string): boolean {
  return ref === "HEAD" || ref === "@" || ref.replace(/^(?:refs\/)?heads\//, "") === branch;
}
