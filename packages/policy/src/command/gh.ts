import { sameName } from "../judge-rest.ts";
import { judgeGhApi } from "./gh-api.ts";
import { judgeVariable } from "./git-config.ts";
import { judgeWrite } from "./paths.ts";
import { ALLOWED, type Arg, type CommandVerdict, refuse, type Scene } from "./scene.ts";

/** What each group may do; `*` is everything else. An empty rule allows. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pr: {
    view: "",
    list: "",
    status: "",
    checks: "",
    diff: "",
    create: "",
    new: "",
    comment: "",
    edit: "",
    review: "",
    merge: "merge.cli",
    "update-branch": "merge.rest-branch",
    checkout: "wt.branch",
    co: "wt.branch",
    "*": "gh.unlisted",
  },
  issue: { view: "", list: "", ls: "", status: "", comment: "", create: "", "*": "gh.unlisted" },
  run: { view: "", list: "", ls: "", watch: "", download: "", "*": "gh.unlisted" },
  workflow: { view: "", list: "", ls: "", run: "merge.proxy", "*": "policy.repo" },
  repo: { view: "", list: "", ls: "", sync: "merge.rest-branch", clone: "", "*": "policy.repo" },
  release: { view: "", list: "", ls: "", "*": "gh.unlisted" },
  label: { list: "", ls: "", "*": "gh.unlisted" },
  cache: { list: "", ls: "", "*": "gh.unlisted" },
  search: { "*": "" },
  ruleset: { view: "", list: "", ls: "", check: "", "*": "policy.repo" },
  auth: { status: "", "*": "cred.read" },
  config: { get: "", list: "", ls: "", "*": "guard.tamper" },
  alias: { list: "", ls: "", "*": "merge.alias" },
  extension: { list: "", ls: "", search: "", "*": "merge.alias" },
  secret: { "*": "policy.repo" },
  variable: { "*": "policy.repo" },
  "ssh-key": { "*": "cred.read" },
  "gpg-key": { "*": "cred.read" },
  codespace: { "*": "gh.unlisted" },
  gist: { "*": "gh.unlisted" },
  org: { list: "", "*": "gh.unlisted" },
  project: { "*": "gh.unlisted" },
  co: { "*": "wt.branch" },
};
const ALIASES: Readonly<Record<string, string>> = {
  ext: "extension",
  extensions: "extension",
  rs: "ruleset",
  cs: "codespace",
};
const HARMLESS = new Set(["help", "version", "completion", "status", "--version", "--help"]);

/** Words with which a comment commands another bot to merge or to obey. */
const BOT_COMMAND = /^\s*(?:\/\w+|@[\w-]+\s+(?:merge|squash|queue|rebase|r\+|try|review)|bors\s+\S+|r\+)/im;

/** Judges the words after `gh`; the API gate decides what the forge really gets. */
export function judgeGh(args: readonly Arg[], scene: Scene): CommandVerdict {
  for (const { name, value } of scene.env) {
    const verdict = judgeVariable(name, value);
    if (verdict !== null && verdict.rule !== "git.exec-inject") return verdict;
  }
  const { words, repository } = withoutRepository(args);
  const at = words.findIndex(({ text }) => !text.startsWith("-") || HARMLESS.has(text));
  const group = words[at];
  if (group === undefined) return ALLOWED;
  if (!group.known) return refuse("shell.unreadable", "the gh command is decided at run time");
  if (HARMLESS.has(group.text)) return ALLOWED;
  const rest = words.slice(at + 1);
  if (group.text === "api") return judgeGhApi(rest, scene);
  return judgeGroup(ALIASES[group.text] ?? group.text, rest, repository, scene);
}

function judgeGroup(
  group: string,
  words: readonly Arg[],
  repository: Arg | null,
  scene: Scene,
): CommandVerdict {
  const verbs = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined;
  if (verbs === undefined) return refuse("merge.alias", `gh ${group} is not on the list`);
  const at = words.findIndex(({ text }) => !text.startsWith("-"));
  const verb = words[at];
  const helps = beforeEnd(words).some(({ text }) => text === "--help" || text === "-h");
  if (helps || (verb === undefined && group !== "co")) return ALLOWED;
  if (verb !== undefined && !verb.known)
    return refuse("shell.unreadable", "the gh command is decided at run time");
  const rule =
    (Object.hasOwn(verbs, verb?.text ?? "") ? verbs[verb?.text ?? ""] : verbs["*"]) ?? "gh.unlisted";
  const rest = words.slice(at + 1);
  if (rule === "merge.cli" && rest.some(({ text }) => /^--auto\b/.test(text))) return refuse("merge.auto");
  if (rule !== "") return refuse(rule);
  return (
    judgeWriter(group, verb?.text ?? "", rest, scene) ?? judgeRepository(group, repository, scene) ?? ALLOWED
  );
}

function beforeEnd(words: readonly Arg[]): readonly Arg[] {
  const end = words.findIndex(({ text }) => text === "--");
  return end < 0 ? words : words.slice(0, end);
}

function judgeWriter(group: string, verb: string, rest: readonly Arg[], scene: Scene): CommandVerdict | null {
  const has = (pattern: RegExp): boolean => beforeEnd(rest).some(({ text }) => pattern.test(text));
  if (group === "pr" && verb === "review" && has(/^(?:--approve|--appr\w*|-[rc]*a[rc]*)$/))
    return refuse("merge.proxy");
  const labels = valuesOf(rest, ["--add-label", "--label", "-l"]);
  if (verb !== "list" && labels.some(({ text }) => /merge|queue|ship|land/i.test(text)))
    return refuse("merge.proxy");
  const bodies = valuesOf(rest, ["--body", "-b"]);
  if (/^(?:comment|review)$/.test(verb) && bodies.some(({ text }) => BOT_COMMAND.test(text)))
    return refuse("merge.proxy");
  if (group === "repo" && verb === "clone") {
    const [, target] = rest.filter(({ text }) => !text.startsWith("-"));
    return target === undefined ? null : judgeWrite(target, scene);
  }
  return null;
}

function valuesOf(words: readonly Arg[], names: readonly string[]): Arg[] {
  return words.flatMap((word, index) => {
    if (names.includes(word.text)) return words[index + 1] ?? [];
    const name = names.find((it) => word.text.startsWith(it.startsWith("--") ? `${it}=` : it));
    if (name === undefined) return [];
    return { text: word.text.slice(name.length).replace(/^=/, ""), known: word.known };
  });
}

function judgeRepository(group: string, repository: Arg | null, { context }: Scene): CommandVerdict | null {
  if (repository === null || group === "search") return null;
  const [name = "", owner = ""] = repository.text
    .replace(/\.git$/, "")
    .split("/")
    .reverse();
  return repository.known && sameName(context.repository, { owner, name })
    ? null
    : refuse("api.other-repository");
}

/** Takes `-R owner/name` out, wherever it stands. */
function withoutRepository(args: readonly Arg[]): { words: Arg[]; repository: Arg | null } {
  const words: Arg[] = [];
  let repository: Arg | null = null;
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg.text === "-R" || arg.text === "--repo") repository = rest.shift() ?? null;
    else if (/^(?:-R|--repo=)./.test(arg.text)) {
      repository = { text: arg.text.replace(/^(?:-R=?|--repo=)/, ""), known: arg.known };
    } else words.push(arg);
  }
  return { words, repository };
}
