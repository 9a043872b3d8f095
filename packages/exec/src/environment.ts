/** Variables of the parent that a child may see. `GIT_*` of the parent never passes (AS-065). */
const INHERITED = ["PATH", "HOME", "LANG", "TMPDIR", "USER"] as const;

/** Marks every process started here, so that descendants which left the group are still found. */
export const MARK_VARIABLE = "HIVE_EXEC_MARK";

/** Between the marks of nested runs, the outermost first. */
export const MARK_SEPARATOR = ":";

/**
 * Builds the whole environment of a child: the allow-list of the parent, then what the caller gives.
 * @param given added last, so it may override anything but the mark
 * @param mark unique text of this run; where this process is itself part of a run, that run's mark stays before it,
 * so that the outer run still finds what got away from the inner one
 */
export function buildEnvironment(
  given: Readonly<Record<string, string>> | undefined,
  mark: string,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  environment.LC_ALL = "C.UTF-8";
  const outer = process.env[MARK_VARIABLE];
  const marks = outer === undefined ? mark : `${outer}${MARK_SEPARATOR}${mark}`;
  return { ...environment, ...given, [MARK_VARIABLE]: marks };
}
