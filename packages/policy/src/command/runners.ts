import { judgeVariable } from "./git-config.ts";
import { posix } from "./posix-path.ts";
import { ALLOWED, type Arg, type CommandVerdict, gravest, refuse, type Scene } from "./scene.ts";

const SHELLS = new Set("sh bash dash zsh ksh ash rbash fish".split(" "));
const INTERPRETERS = /^(?:python|node|nodejs|perl|ruby|php|deno|bun|lua|tclsh|osascript)[\d.]*$/;
const CODE_OPTIONS = new Set(["-c", "-e", "-p", "-E", "-r", "--eval", "--print", "eval"]);
/** In the code of another language only these words can be looked for. */
const CODE_DOORS =
  /push['",\s\]]+.*(?:-f\b|--force|--mirror|--delete|\+)|pr['",\s]+merge|\/pulls?\/[^'"\s]*\/merge|mergePullRequest|enablePullRequestAutoMerge|api\.github\.com|git['",\s]+(?:push|merge)\b/i;
const SCHEDULERS = new Set("at batch crontab systemd-run launchctl".split(" "));

/** Judges programs that run other programs or text; null for any other program. */
export function judgeRunner(name: string, args: readonly Arg[], scene: Scene): CommandVerdict | null {
  if (SHELLS.has(name)) return judgeShellCall(args, scene);
  if (INTERPRETERS.test(name)) return judgeInterpreter(args, scene);
  if (SCHEDULERS.has(name)) return refuse("guard.tamper", "nothing may run outside the run");
  switch (name) {
    case "eval":
      return args.every(({ known }) => known)
        ? scene.judgeText(args.map(({ text }) => text).join(" "), scene)
        : refuse("shell.unreadable");
    case "trap":
      return args[0]?.known === true ? scene.judgeText(args[0].text, scene) : refuse("shell.unreadable");
    case "source":
    case ".":
      return args[0]?.known === true ? ALLOWED : refuse("shell.unreadable");
    case "command":
    case "builtin":
      if (args[0] !== undefined && /^-[vV]+$/.test(args[0].text)) return ALLOWED;
      return scene.judgeArgs(
        args.filter(({ text }, index) => index > 0 || text !== "-p"),
        scene,
      );
    case "env":
      return judgeEnv(args, scene);
    case "export":
    case "declare":
    case "typeset":
    case "readonly":
      return judgeExport(args);
    case "hash":
    case "alias":
    case "enable":
      return args.some(({ text }) => /^-[pfn]|=/.test(text)) ? refuse("shell.unreadable") : ALLOWED;
    case "xargs":
    case "parallel":
      return judgeAppended(args, scene);
    case "find":
      return judgeFind(args, scene);
    case "su":
    case "runuser":
    case "script":
    case "watch":
    case "flock":
      return judgeTextArguments(args, scene);
    default:
      return null;
  }
}

function judgeShellCall(args: readonly Arg[], scene: Scene): CommandVerdict {
  const at = args.findIndex(({ text }) => /^-[a-z]*c[a-z]*$/.test(text));
  if (at >= 0) {
    const text = args.slice(at + 1).find((it) => !/^[-+]o?$/.test(it.text));
    return text?.known === true ? scene.judgeText(text.text, scene) : refuse("shell.unreadable");
  }
  const file = args.find(({ text }) => !text.startsWith("-"));
  if (file !== undefined) return file.known ? ALLOWED : refuse("shell.unreadable");
  if (scene.input.kind === "text") return scene.judgeText(scene.input.text, scene);
  return scene.input.kind === "unknown"
    ? refuse("shell.unreadable", "a shell reads commands made at run time")
    : ALLOWED;
}

function judgeInterpreter(args: readonly Arg[], scene: Scene): CommandVerdict {
  const texts = args.flatMap((arg, index) => (CODE_OPTIONS.has(arg.text) ? (args[index + 1] ?? []) : []));
  if (scene.input.kind === "text") texts.push({ text: scene.input.text, known: true });
  return texts.some(({ text }) => CODE_DOORS.test(text)) ? refuse("merge.other-client") : ALLOWED;
}

function judgeEnv(args: readonly Arg[], scene: Scene): CommandVerdict {
  const rest = [...args];
  const env = [...scene.env];
  let { cwd } = scene;
  for (let arg = rest[0]; arg !== undefined; arg = rest[0]) {
    const assignment = /^([A-Za-z_]\w*)=(.*)$/s.exec(arg.text);
    if (assignment !== null)
      env.push({ name: assignment[1] ?? "", value: { text: assignment[2] ?? "", known: arg.known } });
    else if (!arg.text.startsWith("-")) break;
    rest.shift();
    if (/^(?:-u|--unset)$/.test(arg.text)) rest.shift();
    if (/^(?:-C|--chdir)$/.test(arg.text)) cwd = posix.resolve(cwd, rest.shift()?.text ?? "");
    if (/^(?:-S|--split-string)/.test(arg.text)) {
      const text = arg.text.replace(/^(?:-S|--split-string=?)/, "") || (rest.shift()?.text ?? "");
      return scene.judgeText(text, { ...scene, cwd, env });
    }
    if (arg.text === "--") break;
  }
  return rest.length === 0 ? ALLOWED : scene.judgeArgs(rest, { ...scene, cwd, env });
}

function judgeExport(args: readonly Arg[]): CommandVerdict {
  for (const { text, known } of args) {
    const [name = "", ...value] = text.split("=");
    const verdict = value.length === 0 ? null : judgeVariable(name, { text: value.join("="), known });
    if (verdict !== null) return verdict;
  }
  return ALLOWED;
}

/** What xargs adds is decided at run time, so the words before it must stand by themselves. */
function judgeAppended(args: readonly Arg[], scene: Scene): CommandVerdict {
  const at = args.findIndex(({ text }) =>
    /(?:^|\/)(?:git|gh|sh|bash|dash|zsh|env|sudo|command|node|python3?)$/.test(text),
  );
  if (at < 0) return ALLOWED;
  return scene.judgeArgs([...args.slice(at), { text: "$added", known: false }], {
    ...scene,
    input: { kind: "none" },
  });
}

function judgeFind(args: readonly Arg[], scene: Scene): CommandVerdict {
  const verdicts = args.flatMap(({ text }, index) => {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) return [];
    const rest = args.slice(index + 1);
    const end = rest.findIndex((it) => it.text === ";" || it.text === "+");
    const words = (end < 0 ? rest : rest.slice(0, end)).map((it) =>
      it.text.includes("{}") ? { ...it, known: false } : it,
    );
    return [scene.judgeArgs(words, scene)];
  });
  return gravest(verdicts);
}

/** Programs that take a command line as one word, or as the words that follow. */
function judgeTextArguments(args: readonly Arg[], scene: Scene): CommandVerdict {
  const verdicts = args.map((arg, index) => {
    if (/\s/.test(arg.text)) return arg.known ? scene.judgeText(arg.text, scene) : refuse("shell.unreadable");
    return /^(?:git|gh)$/.test(arg.text) ? scene.judgeArgs(args.slice(index), scene) : ALLOWED;
  });
  return gravest(verdicts);
}
