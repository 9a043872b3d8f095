/** The exit codes of `hive`: stable, and each explained in `docs/reference/cli.md`, to which a test holds them. */
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
  secretMissing: 22,
  serversMissing: 23,
  issueInvalid: 24,
  issueRefused: 25,
  storeUnavailable: 26,
  dataDirUnusable: 27,
  interrupted: 130,
} as const;

const BY_CODE: Readonly<Record<string, number>> = {
  USAGE: EXIT.usage,
  CONFIG_MISSING: EXIT.configMissing,
  CONFIG_INVALID: EXIT.configInvalid,
  GIT_MISSING: EXIT.gitMissing,
  REPOSITORY_NOT_GIT: EXIT.repositoryNotGit,
  REPOSITORY_EMPTY: EXIT.repositoryEmpty,
  PORT_TAKEN: EXIT.portTaken,
  DATA_DIR_IN_USE: EXIT.dataDirInUse,
  FORGE_UNREACHABLE: EXIT.forgeUnreachable,
  FORGE_UNAVAILABLE: EXIT.forgeUnreachable,
  FORGE_DENIED: EXIT.forgeRefused,
  HIVE_UNREACHABLE: EXIT.hiveUnreachable,
  JOB_NOT_FOUND: EXIT.notFound,
  RUN_NOT_FOUND: EXIT.notFound,
  TRANSCRIPT_NOT_FOUND: EXIT.notFound,
  FORGE_NOT_FOUND: EXIT.notFound,
  ISOLATION_MISSING: EXIT.isolationMissing,
  SECRET_MISSING: EXIT.secretMissing,
  SERVERS_MISSING: EXIT.serversMissing,
  ISSUE_URL_INVALID: EXIT.issueInvalid,
  ISSUE_NOT_TAKEN: EXIT.issueRefused,
  STORE_UNAVAILABLE: EXIT.storeUnavailable,
  STORE_REFUSED: EXIT.storeUnavailable,
  QUEUE_UNAVAILABLE: EXIT.storeUnavailable,
  STORE_OPEN_FAILED: EXIT.dataDirUnusable,
  DATA_DIR_UNUSABLE: EXIT.dataDirUnusable,
};

/** The exit code for an error code; 1 for one that has none of its own. */
export function exitCodeFor(code: string): number {
  return BY_CODE[code] ?? EXIT.failure;
}
