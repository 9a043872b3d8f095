import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every form in which a token may be written. */
function formsOf(token: string): readonly string[] {
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  return [token, basic.slice(0, -4), Buffer.from(token).toString("base64").slice(0, -4)];
}

/** Files below a directory that hold a token in any form, whatever they are: databases, packs, logs, sockets' notes. */
export function filesWith(token: string, directory: string): string[] {
  const forms = formsOf(token);
  const entries: Dirent[] = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const content = readFileSync(file, "latin1");
      return forms.some((form) => content.includes(form));
    });
}

export interface ProcessSight {
  readonly commands: ReadonlySet<string>;
  /** Command lines of processes that had the token in their arguments or environment. */
  readonly leaks: ReadonlySet<string>;
  stop(): void;
}

const EVERY_MS = 30;

/** Looks at all processes again and again; `except` gives those that may hold the token. */
export function watchProcesses(token: string, except: () => readonly number[]): ProcessSight {
  const forms = formsOf(token);
  const commands = new Set<string>();
  const leaks = new Set<string>();
  const look = (): void => {
    const allowed = new Set([process.pid, ...except()]);
    // A process that was forked and has not executed its program yet is a copy of its parent.
    const copies = new Set([...allowed].map(commandOf));
    for (const pid of readdirSync("/proc").filter(
      (name) => /^\d+$/.test(name) && !allowed.has(Number(name)),
    )) {
      const command = commandOf(pid);
      const environment = read(`/proc/${pid}/environ`);
      commands.add(command);
      if (copies.has(command) || commandOf(pid) !== command) continue;
      if (forms.some((form) => command.includes(form) || environment.includes(form))) leaks.add(command);
    }
  };
  const timer = setInterval(look, EVERY_MS);
  return { commands, leaks, stop: () => clearInterval(timer) };
}

function commandOf(pid: string | number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // the process ended meanwhile
  }
}
