import { judgeArgs } from "./command/argv.ts";
import { judgeWrite, readsSecret } from "./command/paths.ts";
import { posix } from "./command/posix-path.ts";
import {
  ALLOWED,
  type CommandContext,
  type CommandVerdict,
  gravest,
  known,
  refuse,
  type Scene,
} from "./command/scene.ts";
import { type ShellCommand, shellCommands } from "./command/shell-commands.ts";

/** Nested shells deeper than this are refused. */
const MAX_DEPTH = 8;

/** Judges an argument vector, as a shim sees it (WH-001..WH-025). Courtesy to agents: the boundary is jail and gates. */
export function judgeArgv(argv: readonly string[], context: CommandContext): CommandVerdict {
  if (argv.length === 0) return refuse("shell.unreadable");
  return judgeArgs(known(...argv), sceneOf(context, 0));
}

/** Judges a text for a shell, as an agent's command hook sees it. What cannot be read with certainty is refused. */
export function judgeShell(text: string, context: CommandContext): CommandVerdict {
  const scene = sceneOf(context, 0);
  return scene.judgeText(text, scene);
}

function sceneOf(context: CommandContext, depth: number): Scene {
  return {
    context,
    cwd: context.cwd ?? context.worktree,
    env: [],
    input: { kind: "none" },
    judgeArgs,
    judgeText: (text, scene) => judgeText(text, scene, depth),
  };
}

function judgeText(text: string, outer: Scene, depth: number): CommandVerdict {
  const commands = depth > MAX_DEPTH ? null : shellCommands(text);
  if (commands === null) return refuse("shell.unreadable");
  let { cwd } = outer;
  const verdicts: CommandVerdict[] = [];
  for (const command of commands) {
    const scene: Scene = {
      ...outer,
      cwd,
      env: [...outer.env, ...command.assignments],
      input: command.input,
      judgeText: (inner, at) => judgeText(inner, at, depth + 1),
    };
    verdicts.push(judgeOne(command, scene));
    cwd = directoryAfter(command, scene);
  }
  return gravest(verdicts);
}

function judgeOne({ words, writes, reads }: ShellCommand, scene: Scene): CommandVerdict {
  const write = writes.map((path) => judgeWrite(path, scene)).find((it) => it !== null);
  if (write !== undefined) return write;
  const secret = [...reads, ...words.slice(1)].some(({ text }) => readsSecret(text));
  if (secret && !/^(?:echo|printf|grep|rg|git)$/.test(words[0]?.text ?? "")) return refuse("cred.read");
  if (words.length === 0 && scene.env.length === 0) return ALLOWED;
  return judgeArgs(words, scene);
}

/** Where the shell is after a command; an unknown target changes nothing here. */
function directoryAfter({ words }: ShellCommand, scene: Scene): string {
  const [name, ...rest] = words;
  if (name?.known !== true || !/^(?:cd|pushd)$/.test(name.text)) return scene.cwd;
  const target = rest.find(({ text }) => !text.startsWith("-"));
  return target?.known === true ? posix.resolve(scene.cwd, target.text) : scene.cwd;
}
