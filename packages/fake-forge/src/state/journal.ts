import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ForgeStartError } from "../errors.ts";
import { emptyState, type ForgeState } from "./forge-state.ts";

const DEBOUNCE_MS = 200;

/** Keeps the state in one file of the data directory, replaced atomically a moment after every change. */
export interface Journal {
  readonly state: ForgeState;
  /** True when the data directory already held a state: the seed is then not applied again. */
  readonly restored: boolean;
  /** Call after each mutation. */
  changed(): void;
  /** Write now, and never again: what changes after a close is not kept. */
  close(): void;
}

/** Opens DATA/state.json. Throws ForgeStartError `FORGE_DATA_UNWRITABLE` when the directory can't be written. */
export function openJournal(dataDir: string): Journal {
  const file = join(dataDir, "state.json");
  const before = readState(dataDir, file);
  const state = before ?? emptyState();
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    writeFileSync(`${file}.next`, JSON.stringify(state));
    renameSync(`${file}.next`, file);
  };
  let closed = false;
  const changed = (): void => {
    if (closed) return;
    timer ??= setTimeout(flush, DEBOUNCE_MS);
  };
  const close = (): void => {
    flush();
    closed = true;
  };
  return { state, restored: before !== null, changed, close };
}

function readState(dataDir: string, file: string): ForgeState | null {
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(join(dataDir, ".writable"), "");
  } catch (cause) {
    throw new ForgeStartError("FORGE_DATA_UNWRITABLE", `data directory ${dataDir} can't be written`, cause);
  }
  try {
    return { ...emptyState(), ...(JSON.parse(readFileSync(file, "utf8")) as ForgeState) };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new ForgeStartError("FORGE_DATA_UNREADABLE", `${file} is not a readable forge state`, cause);
  }
}
