import { killTreeNow, type Tree } from "./kill-tree.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const live = new Set<Tree>();

/**
 * Registers a run so that it dies with this process, by exit or by signal.
 * @returns the function that takes it off again
 */
export function registerTree(tree: Tree): () => void {
  if (live.size === 0) install();
  live.add(tree);
  return () => {
    live.delete(tree);
    if (live.size === 0) uninstall();
  };
}

function install(): void {
  process.on("exit", killAll);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function uninstall(): void {
  process.off("exit", killAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function killAll(): void {
  for (const tree of live) killTreeNow(tree);
}

/** Acts only where nobody else handles the signal: a service's own shutdown ends its runs itself. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  killAll();
  uninstall();
  process.kill(process.pid, signal);
}
