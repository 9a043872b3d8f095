import type { RunLimits } from "./run-space.ts";

/**
 * Puts the sandbox and the loss of all privileges around a command.
 *
 * Where the hive is root, the outer bubblewrap composes the mounts as root (the data directory may lie below
 * directories that only root enters), `setpriv` then really becomes the job's user without any capability, and a
 * second bubblewrap closes user namespaces. Otherwise one bubblewrap does all of it as the hive's own user.
 * @param mounts the arguments that compose the jail's root
 * @param uid of the hive; `jailUid` is used where that is 0
 */
export function confine(
  mounts: readonly string[],
  command: readonly string[],
  host: { readonly uid: number; readonly jailUid: number; readonly limits: RunLimits },
): string[] {
  const limited = [...resourceLimits(host.limits), ...command];
  if (host.uid !== 0) {
    const noPower = ["--unshare-user", "--disable-userns", "--cap-drop", "ALL"];
    return ["bwrap", ...noPower, ...mounts, "--remount-ro", "/", "--", ...limited];
  }
  const user = [`--reuid=${host.jailUid}`, `--regid=${host.jailUid}`, "--clear-groups"];
  const powerless = ["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"];
  // No --proc here: a user namespace may not mount one, and the outer one is already private.
  const inner = ["--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--unshare-user", "--disable-userns"];
  return [
    "bwrap",
    ...mounts,
    "--remount-ro",
    "/",
    "--",
    "/usr/bin/setpriv",
    ...user,
    ...powerless,
    "/usr/bin/bwrap",
    ...inner,
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--",
    ...limited,
  ];
}

function resourceLimits({ memoryMb, processes }: RunLimits): string[] {
  const limits = [
    ...(memoryMb === undefined ? [] : [`--data=${memoryMb * 1024 * 1024}`]),
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
    "--core=0",
  ];
  return ["/usr/bin/prlimit", ...limits, "--"];
}
