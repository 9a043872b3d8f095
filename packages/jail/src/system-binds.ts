/** Programs and libraries of the host. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Of `/etc` only what programs need to run: an allow-list, so that a secret added there later is not seen. */
const ETC = [
  "alternatives",
  "bash.bashrc",
  "ca-certificates",
  "ca-certificates.conf",
  "debian_version",
  "host.conf",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "locale.alias",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "pki",
  "profile",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];

/** A private world without network: own process, mount, ipc, host-name and network namespaces. */
const NAMESPACES = [
  "--unshare-pid",
  "--unshare-net",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--hostname",
  "hive",
  "--die-with-parent",
  "--new-session",
];

/** Directories above mount points; bubblewrap itself would make them unreadable for the job's user. */
export function parentDirs(paths: readonly string[]): string[] {
  const parents = new Set(paths.flatMap(ancestors));
  return [...parents]
    .sort((a, b) => a.length - b.length)
    .flatMap((path) => ["--perms", "0755", "--dir", path]);
}

function ancestors(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}`);
}

const TMP_BYTES = String(2 * 1024 ** 3);

/**
 * The root of the jail: read-only system, fresh `/proc` and minimal `/dev`, empty private `/tmp`.
 * @param etcDir the run's own `passwd`, `group` and `hosts`
 */
export function systemBinds(etcDir: string | null): string[] {
  const own = etcDir === null ? [] : ["passwd", "group", "hosts"];
  return [
    ...NAMESPACES,
    ...SYSTEM.flatMap((path) => ["--ro-bind-try", path, path]),
    ...parentDirs([...ETC.map((name) => `/etc/${name}`), "/var/tmp"]),
    ...ETC.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...own.flatMap((name) => ["--ro-bind", `${etcDir}/${name}`, `/etc/${name}`]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    ...["/tmp", "/var/tmp"].flatMap((path) => ["--perms", "1777", "--size", TMP_BYTES, "--tmpfs", path]),
  ];
}
