import { ExecError, run } from "@worktree-hive/exec";
import { confine } from "./drop-privileges.ts";
import { jailUid } from "./run-space.ts";
import { systemBinds } from "./system-binds.ts";

/** What this host can do; `none` names the reason for people. */
export type Isolation =
  | { readonly kind: "bubblewrap"; readonly version: string }
  | { readonly kind: "none"; readonly reason: string };

const TIMEOUT_MS = 10_000;
/** Proves what the jail promises: no power, no way to get some, no network but the loopback. */
const PROBE = `
  test "$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)" = 0000000000000000 || { echo "capabilities are left"; exit 3; }
  test "$(id -u)" != 0 || { echo "still root"; exit 3; }
  ! unshare -Ur true 2>/dev/null || { echo "user namespaces are open"; exit 3; }
  test "$(grep -c : /proc/net/dev)" = 1 || { echo "network interfaces are visible"; exit 3; }`;

/**
 * Finds out by a real run whether a jail can be made here.
 * @param searchPath where bubblewrap is looked for; the process's PATH unless given
 */
export async function detectIsolation(searchPath?: string): Promise<Isolation> {
  if (process.platform !== "linux") return none(`bubblewrap needs Linux, this is ${process.platform}`);
  const env = searchPath === undefined ? {} : { PATH: searchPath };
  try {
    const version = await run("bwrap", ["--version"], { cwd: "/", env, timeoutMs: TIMEOUT_MS });
    const [command = "", ...args] = confine(systemBinds(null), ["/bin/sh", "-c", PROBE], {
      uid: process.getuid?.() ?? -1,
      jailUid: jailUid("probe"),
      limits: {},
    });
    const probe = await run(command, args, { cwd: "/", env, timeoutMs: TIMEOUT_MS });
    if (probe.exitCode === 0) {
      return { kind: "bubblewrap", version: version.stdout.toString().replace("bubblewrap", "").trim() };
    }
    const said = Buffer.concat([probe.stdout, probe.stderr]).toString().trim();
    return none(`bubblewrap cannot make a jail here: ${said || `exit ${probe.exitCode}`}`);
  } catch (error) {
    if (error instanceof ExecError) return none("bubblewrap (bwrap) is not installed");
    throw error;
  }
}

function none(reason: string): Isolation {
  return { kind: "none", reason };
}
