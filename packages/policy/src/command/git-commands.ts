import { judgeConfig } from "./git-config-command.ts";
import { judgeCommit, judgeMerge, judgeRebase } from "./git-history.ts";
import { judgeBranch, judgeCheckout, judgeFetch } from "./git-refs.ts";
import { judgeWrite } from "./paths.ts";
import { ALLOWED, type Arg, type CommandVerdict, refuse, type Scene } from "./scene.ts";

type Judge = (args: readonly Arg[], scene: Scene) => CommandVerdict;

const allow: Judge = () => ALLOWED;
const never =
  (rule: string): Judge =>
  () =>
    refuse(rule);

/** Commands that read, or change only the own branch and worktree. */
const FREE =
  "status log show diff ls-files ls-tree ls-remote rev-parse rev-list merge-base cat-file describe blame annotate shortlog show-ref for-each-ref help version name-rev cherry count-objects check-ignore check-attr check-mailmap check-ref-format var whatchanged range-diff diff-tree diff-index diff-files merge-tree merge-file fsck verify-commit stripspace interpret-trailers mailinfo mailsplit patch-id show-branch column fmt-merge-msg hash-object rerere add rm mv restore reset stash clean am cherry-pick revert tag notes update-index sparse-checkout write-tree read-tree checkout-index init";

function firstOf(rules: Readonly<Record<string, string>>, otherwise: string | null): Judge {
  return (args) => {
    const word = args.find(({ text }) => !text.startsWith("-"))?.text ?? "";
    const rule = Object.hasOwn(rules, word) ? rules[word] : otherwise;
    return rule === null || rule === undefined || rule === "" ? ALLOWED : refuse(rule);
  };
}

/** Refuses when one of the words is, or begins with, one of the given options. */
function without(rule: string, ...options: readonly string[]): Judge {
  return (args) =>
    args.some(({ text }) =>
      options.some((it) => text === it || text.startsWith(it.length > 2 ? `${it}=` : it)),
    )
      ? refuse(rule)
      : ALLOWED;
}

/** Judges every word that is a path to be written, the options' values included. */
function writesTo(...options: readonly string[]): Judge {
  return (args, scene) => {
    const values = args.flatMap(({ text, known }, index) => {
      const option = options.find((it) => text === it || text.startsWith(`${it}=`));
      if (option === undefined) return [];
      return text === option ? (args[index + 1] ?? []) : [{ text: text.slice(option.length + 1), known }];
    });
    return values.map((it) => judgeWrite(it, scene)).find((it) => it !== null) ?? ALLOWED;
  };
}

function judgeClone(args: readonly Arg[], scene: Scene): CommandVerdict {
  const remote = without(
    "git.exec-inject",
    "-u",
    "--upload-pack",
    "-c",
    "--config",
    "--template",
  )(args, scene);
  if (remote.decision === "deny") return remote;
  const target = args.filter(({ text }) => !text.startsWith("-")).at(-1);
  const separate = writesTo("--separate-git-dir")(args, scene);
  if (separate.decision === "deny") return separate;
  return (target === undefined || /:\/\//.test(target.text) ? null : judgeWrite(target, scene)) ?? ALLOWED;
}

const UNSAFE = "update-ref symbolic-ref replace filter-branch fast-import pack-refs".split(" ");
const SHARED = "gc prune repack maintenance prune-packed pack-objects unpack-objects index-pack".split(" ");

/** The listed git commands; what is missing here is refused (WH-022). */
export const GIT_COMMANDS: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(FREE.split(" ").map((name) => [name, allow])),
  ...Object.fromEntries(UNSAFE.map((name) => [name, never("ref.local-other")])),
  ...Object.fromEntries(SHARED.map((name) => [name, never("fs.shared-git")])),
  commit: judgeCommit,
  merge: judgeMerge,
  rebase: judgeRebase,
  checkout: judgeCheckout,
  switch: judgeCheckout,
  branch: judgeBranch,
  fetch: judgeFetch,
  config: judgeConfig,
  clone: judgeClone,
  remote: firstOf({ show: "", "get-url": "", update: "", prune: "", "": "" }, "guard.tamper"),
  worktree: firstOf({ list: "" }, "wt.admin"),
  reflog: firstOf({ expire: "fs.shared-git", delete: "fs.shared-git" }, null),
  bisect: firstOf({ run: "git.exec-inject" }, null),
  submodule: firstOf({ foreach: "git.exec-inject", add: "git.unlisted" }, null),
  grep: without("git.exec-inject", "-O", "--open-files-in-pager"),
  difftool: without("git.exec-inject", "-x", "--extcmd"),
  archive: (args, scene) => {
    const inject = without("git.exec-inject", "--exec", "--remote")(args, scene);
    return inject.decision === "deny" ? inject : writesTo("-o", "--output")(args, scene);
  },
  mergetool: (args) =>
    args.some(({ text }) => text === "--tool-help") ? ALLOWED : refuse("merge.local-commit"),
  apply: without("fs.outside", "--unsafe-paths", "--directory"),
  bundle: writesTo("create"),
  "format-patch": writesTo("-o", "--output-directory"),
  "commit-tree": (args) =>
    args.filter(({ text }) => text.startsWith("-p")).length > 1 ? refuse("merge.local-commit") : ALLOWED,
  "send-pack": never("push.force-bare"),
  "http-push": never("push.force-bare"),
  credential: never("cred.read"),
  "credential-store": never("cred.read"),
  "credential-cache": never("cred.read"),
  "for-each-repo": never("git.exec-inject"),
};
