/** The exit codes of `hive`: stable, documented in `docs/reference/cli.md`. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  configMissing: 10,
  configInvalid: 11,
  gitMissing: 12,
  repositoryNotGit: 13,
  repositoryEmpty: 14,
  portTaken: 15,
  dataDirInUse: 16,
  forgeUnreachable: 17,
  forgeRefused: 18,
  hiveUnreachable: 19,
  notFound: 20,
  isolationMissing: 21,
  interrupted: 130,
} as const;

const BY_CODE: Readonly<Record<string, number>> = {
  CONFIG_MISSING: EXIT.configMissing,
  CONFIG_INVALID: EXIT.configInvalid,
  SECRET_MISSING: EXIT.configInvalid,
  GIT_MISSING: EXIT.gitMissing,
  REPOSITORY_NOT_GIT: EXIT.repositoryNotGit,
  REPOSITORY_EMPTY: EXIT.repositoryEmpty,
  PORT_TAKEN: EXIT.portTaken,
  DATA_DIR_IN_USE: EXIT.dataDirInUse,
  FORGE_UNREACHABLE: EXIT.forgeUnreachable,
  HUB_UNREACHABLE: EXIT.forgeUnreachable,
  FORGE_DENIED: EXIT.forgeRefused,
  FORGE_UNAUTHORIZED: EXIT.forgeRefused,
  HUB_AUTH: EXIT.forgeRefused,
  HIVE_UNREACHABLE: EXIT.hiveUnreachable,
  NOT_FOUND: EXIT.notFound,
  JOB_UNKNOWN: EXIT.notFound,
  ISOLATION_MISSING: EXIT.isolationMissing,
  USAGE: EXIT.usage,
};

/** The exit code for an error code; 1 for one that has none of its own. */
export function exitCodeFor(code: string): number {
  return BY_CODE[code] ?? EXIT.failure;
}
