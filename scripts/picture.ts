/*
 * Plays the demo and keeps what it printed, as a terminal shows it, as `docs/images/demo.svg`: `npm run picture`.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { start } from "@worktree-hive/exec";
import xterm from "@xterm/headless";
import { type Screen, screenOf } from "./picture/screen.ts";
import { svgOf } from "./picture/svg.ts";

const COLUMNS = 146;
const ROWS = 40;
/** Frames of the moving picture, the last one included. */
const FRAMES = 14;
const SAMPLE_MS = 500;
const LIMIT_MS = 240_000;

const root = join(import.meta.dirname, "..");
const target = join(root, "docs/images/demo.svg");
const screens = await play();
const frames = thinned(screens, FRAMES);
await mkdir(dirname(target), { recursive: true });
await writeFile(target, svgOf(frames, { columns: COLUMNS, title: "npm run demo" }));
console.log(`${target}: ${frames.length} of ${screens.length} screens`);

/** Every different screen that the demo showed, in order. Throws when the demo fails. */
async function play(): Promise<Screen[]> {
  const terminal = new xterm.Terminal({
    cols: COLUMNS,
    rows: ROWS,
    allowProposedApi: true,
    convertEol: true,
  });
  const seen: Screen[] = [];
  const sample = (): void => {
    const screen = screenOf(terminal);
    if (screen.text !== seen.at(-1)?.text && screen.text.trim() !== "") seen.push(screen);
  };
  const child = start(process.execPath, ["apps/hive/bin/hive.js", "demo"], {
    cwd: root,
    env: { FORCE_COLOR: "1", TMPDIR: tmpdir() },
    timeoutMs: LIMIT_MS,
  });
  child.stdin.end();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => terminal.write(withoutPaths(chunk)));
  }
  const timer = setInterval(sample, SAMPLE_MS);
  const end = await child.done;
  clearInterval(timer);
  await new Promise<void>((resolve) => terminal.write("", resolve));
  sample();
  if (end.exitCode !== 0) throw new Error(`the demo ended with ${end.exitCode}: ${seen.at(-1)?.text ?? ""}`);
  return seen;
}

/** The picture shows nothing of where it was made. */
function withoutPaths(text: string): string {
  return text.replaceAll(root, "~/worktree-hive").replaceAll(homedir() === "/" ? "\0" : homedir(), "~");
}

/** At most `count` screens, evenly spread, always with the last. */
function thinned(all: readonly Screen[], count: number): Screen[] {
  const last = all.length - 1;
  const wanted = Math.min(count, all.length);
  const at = Array.from({ length: wanted }, (_, n) =>
    wanted === 1 ? last : Math.round((n * last) / (wanted - 1)),
  );
  return at.flatMap((index) => all[index] ?? []);
}
