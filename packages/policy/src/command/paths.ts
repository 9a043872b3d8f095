import { posix } from "./posix-path.ts";
import { type Arg, type CommandVerdict, refuse, type Scene } from "./scene.ts";

const DEVICES = /^\/dev\/(?:null|stdout|stderr|stdin|tty|zero|fd\/\d+)$/;
const SECRETS =
  /(?:^|\/)\.git-credentials\b|gh\/hosts\.yml|(?:^|\/)\.netrc\b|(?:^|\/)\.ssh\/|\/proc\/[^/]+\/environ|(?:^|\/)\.aws\/credentials|(?:^|\/)\.docker\/config\.json/;

/** Judges a path that a command would write, make or remove; null when it lies where the job may write. */
export function judgeWrite(path: Arg, scene: Scene, from = scene.cwd): CommandVerdict | null {
  const text = path.text.replace(/^"?\$(?:PWD|\{PWD\})/, scene.cwd);
  if (/git rev-parse --(?:git-dir|git-common-dir|absolute-git-dir|git-path)/.test(text)) {
    return refuse("fs.worktree-meta");
  }
  if (/^~|\$(?:HOME|\{HOME\})|\$\{[A-Z_]*HOME\b|:-\$HOME/.test(text)) return refuse("fs.outside");
  if (!path.known && /[$`]/.test(text))
    return text.includes("..") && /^[$`"]/.test(text) ? refuse("fs.outside") : null;
  return judgeResolved(posix.resolve(from, text), scene);
}

function judgeResolved(path: string, { context }: Scene): CommandVerdict | null {
  const { worktree, sharedRepository } = context;
  if (inside(path, worktree)) {
    const own = path.slice(worktree.length + 1).split("/")[0];
    return own === ".git" ? refuse("fs.worktree-meta") : null;
  }
  if (sharedRepository !== undefined && inside(path, sharedRepository)) return refuse("fs.shared-git");
  if (DEVICES.test(path) || (inside(path, "/tmp") && path !== "/tmp")) return null;
  return refuse(
    inside(path, posix.dirname(worktree)) ? "wt.cross" : "fs.outside",
    `${path} is outside the worktree`,
  );
}

/** True when a command that works in `dir` works in the job's worktree. */
export function isOwnDirectory(dir: string, { context }: Scene): boolean {
  return inside(dir, context.worktree) || inside(dir, "/tmp");
}

/** The refusal for git that works in a foreign directory. */
export function foreignDirectory(dir: string, { context }: Scene): CommandVerdict {
  const { sharedRepository } = context;
  return refuse(
    sharedRepository !== undefined && inside(dir, sharedRepository) ? "fs.shared-git" : "wt.cross",
  );
}

export function readsSecret(text: string): boolean {
  return SECRETS.test(text);
}

function inside(path: string, dir: string): boolean {
  return path === dir || path.startsWith(`${dir}/`);
}
