const SKIP_CI = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]|^skip-checks:\s*true/im;

/** True for a commit message that tells CI not to run (S15). */
export function skipsCi(message: string): boolean {
  return SKIP_CI.test(message);
}
