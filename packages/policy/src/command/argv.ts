import { judgeFiles } from "./files.ts";
import { judgeGh } from "./gh.ts";
import { judgeGit } from "./git.ts";
import { readsSecret } from "./paths.ts";
import { judgeRunner } from "./runners.ts";
import { ALLOWED, type Arg, type CommandVerdict, gravest, refuse, type Scene } from "./scene.ts";

/** Programs whose words are text or names, never commands. */
const TEXT = new Set(
  "echo printf grep egrep fgrep rg ag ack man which type ls test [ sed awk gawk head tail wc cut sort uniq tr jq yq diff cmp less more true false : read apropos whereis info basename dirname npm pnpm yarn npx tsc".split(
    " ",
  ),
);
const OTHER_CLIENTS = new Set(["hub", "glab", "tea", "lab", "jj", "svn", "hg"]);
const WEB = new Set("curl wget http https xh httpie aria2c nc ncat socat telnet".split(" "));
const WEB_DOORS =
  /github\.com|\/merge\b|\/merges\b|\/graphql\b|\/repos\/|api\.sock|127\.0\.0\.1|localhost|git-receive-pack/i;

/** Judges one command by its words; nested commands of any depth included. */
export function judgeArgs(args: readonly Arg[], scene: Scene): CommandVerdict {
  const [first, ...rest] = args;
  if (first === undefined) return judgeAssignments(scene);
  if (!first.known || /[*?[{]./.test(first.text)) {
    return refuse("shell.unreadable", "the command is decided at run time");
  }
  const name = first.text.split("/").at(-1) ?? "";
  if (name === "git") return judgeGit(rest, scene);
  if (name.startsWith("git-")) return judgeGit([{ text: name.slice(4), known: true }, ...rest], scene);
  if (name === "gh") return judgeGh(rest, scene);
  if (OTHER_CLIENTS.has(name)) return refuse("merge.other-client");
  if (WEB.has(name)) {
    return rest.some(({ text }) => WEB_DOORS.test(text)) ? refuse("merge.other-client") : ALLOWED;
  }
  const runner = judgeRunner(name, rest, scene);
  if (runner !== null) return runner;
  const files = judgeFiles(name, rest, scene);
  if (files !== null) return files;
  if (!TEXT.has(name) && name !== "echo" && rest.some(({ text }) => readsSecret(text)))
    return refuse("cred.read");
  return TEXT.has(name) ? ALLOWED : judgeForwarded(rest, scene);
}

/** Any program may run the words that follow it (WH-024): what would be refused alone is refused here too. */
function judgeForwarded(args: readonly Arg[], scene: Scene): CommandVerdict {
  const verdicts = args.flatMap((arg, index) => {
    const name = arg.known ? (arg.text.split("/").at(-1) ?? "") : "";
    return /^(?:git|gh|hub|sh|bash|dash|zsh|env|xargs)$|^git-/.test(name)
      ? [scene.judgeArgs(args.slice(index), scene)]
      : [];
  });
  return gravest(verdicts);
}

function judgeAssignments({ env }: Scene): CommandVerdict {
  const dangerous = env.some(({ name }) => /^(?:GIT_(?!PAGER$)|GH_|LD_|BASH_ENV$|EDITOR$|PATH$)/.test(name));
  return dangerous ? refuse("git.env-redirect", "set the variable in front of one command only") : ALLOWED;
}
