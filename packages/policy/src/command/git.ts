import { GIT_COMMANDS } from "./git-commands.ts";
import { judgeSetting, judgeVariable } from "./git-config.ts";
import { judgeGitPush } from "./git-push.ts";
import { hasOption, isOn, type OptionTable, parseOptions, UNREADABLE } from "./options.ts";
import { foreignDirectory, isOwnDirectory } from "./paths.ts";
import { posix } from "./posix-path.ts";
import { ALLOWED, type Arg, type CommandVerdict, gravest, refuse, type Scene } from "./scene.ts";

/** What stands between `git` and its command. */
interface Globals {
  readonly settings: readonly (readonly [key: string, value: string])[];
  readonly cwd: string;
  readonly command: Arg | undefined;
  readonly rest: readonly Arg[];
}

const VALUE_OPTIONS = new Set([
  "-c",
  "-C",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--super-prefix",
  "--config-env",
]);

/** Judges the words after `git`: global options, variables in front, then the command by its own rules. */
export function judgeGit(args: readonly Arg[], scene: Scene): CommandVerdict {
  const globals = parseGlobals(args, scene);
  if ("decision" in globals) return globals;
  const { command, rest, settings, cwd } = globals;
  for (const { name, value } of scene.env) {
    const verdict = judgeVariable(name, value);
    if (verdict !== null) return verdict;
  }
  for (const [key, value] of settings) {
    const verdict = judgeSetting(key, value);
    if (verdict !== null) return verdict;
  }
  if (command === undefined) return ALLOWED;
  if (!command.known) return refuse("shell.unreadable", "the git command is decided at run time");
  if (!isOwnDirectory(cwd, scene)) return foreignDirectory(cwd, scene);
  return judgeCommand(command.text, rest, { ...scene, cwd }, settings);
}

function parseGlobals(args: readonly Arg[], scene: Scene): Globals | CommandVerdict {
  const settings: [string, string][] = [];
  let { cwd } = scene;
  const rest = [...args];
  for (let arg = rest[0]; arg?.text.startsWith("-"); arg = rest[0]) {
    rest.shift();
    const [name = "", ...attached] = arg.text.split("=");
    if (name === "--") return { settings, cwd, command: undefined, rest: [] };
    const value = VALUE_OPTIONS.has(name)
      ? attached.length > 0
        ? attached.join("=")
        : (rest.shift()?.text ?? "")
      : "";
    if (name === "-c") settings.push(splitSetting(value));
    else if (name === "-C") cwd = posix.resolve(cwd, value);
    else if (name === "--git-dir" || name === "--work-tree" || name === "--namespace") {
      return refuse("git.env-redirect");
    } else if (name === "--config-env") return refuse("git.alias");
    else if (name === "--exec-path" && attached.length > 0) return refuse("git.exec-inject");
    else if (!arg.known) return refuse("shell.unreadable");
  }
  const [command, ...after] = rest;
  return { settings, cwd, command, rest: after };
}

function splitSetting(text: string): [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, "true"] : [text.slice(0, at), text.slice(at + 1)];
}

function judgeCommand(
  name: string,
  args: readonly Arg[],
  scene: Scene,
  settings: Globals["settings"],
): CommandVerdict {
  if (name === "push") return judgeGitPush(args, scene);
  if (name === "pull") return judgePull(args, scene, settings);
  const judge = Object.hasOwn(GIT_COMMANDS, name) ? GIT_COMMANDS[name] : undefined;
  return judge === undefined ? refuse("git.unlisted", `git ${name} is not on the list`) : judge(args, scene);
}

const PULL: OptionTable = {
  long: {
    rebase: "maybe",
    "ff-only": "flag",
    ff: "flag",
    commit: "flag",
    squash: "flag",
    autostash: "flag",
    "upload-pack": "value",
    depth: "value",
    strategy: "value",
    "strategy-option": "value",
    quiet: "flag",
    verbose: "flag",
    prune: "flag",
    tags: "flag",
    all: "flag",
    help: "flag",
  },
  short: {
    r: "rebase",
    q: "quiet",
    v: "verbose",
    p: "prune",
    s: "strategy",
    X: "strategy-option",
    h: "help",
  },
};

/** The last word decides whether a pull merges (WH-009). */
function judgePull(args: readonly Arg[], { context }: Scene, settings: Globals["settings"]): CommandVerdict {
  const parsed = parseOptions(args, PULL);
  if (hasOption(parsed, UNREADABLE)) return refuse("shell.unreadable");
  if (isOn(parsed, "help")) return ALLOWED;
  if (hasOption(parsed, "upload-pack")) return refuse("git.exec-inject");
  if (hasOption(parsed, "squash")) return refuse("merge.combine");
  const [, ...refs] = parsed.positionals;
  const [remote] = parsed.positionals;
  const foreign = refs.some(({ text }) => ![context.baseBranch, context.branch, "HEAD"].includes(text));
  if (foreign || (remote !== undefined && remote.text !== "origin")) return refuse("merge.combine");
  const rebase = parsed.options.findLast(({ name }) => name === "rebase");
  const setting = settings.findLast(([key]) => key.toLowerCase() === "pull.rebase")?.[1];
  const asked =
    rebase === undefined ? (setting ?? "false") : rebase.no ? "false" : (rebase.value?.text ?? "true");
  if (/^(?:true|yes|on|1|interactive|i|merges|m)$/.test(asked)) return ALLOWED;
  const last = parsed.options.findLast(({ name }) => name === "ff-only" || name === "ff");
  const only = settings.some(([key, value]) => key.toLowerCase() === "pull.ff" && value === "only");
  const fast = last === undefined ? only : last.name === "ff-only" && !last.no;
  return fast ? ALLOWED : gravest([refuse("merge.local-commit", "git pull may make a merge commit")]);
}
