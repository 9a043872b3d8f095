import { type SecretFinding, secretsInLine } from "@worktree-hive/policy";

/** Finds what looks like a credential in the added lines of a patch made with `-U0`. */
export function addedSecrets(patch: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  let path = "";
  let line = 0;
  let left = 0;
  for (const text of patch.split("\n")) {
    const hunk = left > 0 ? null : /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(text);
    if (hunk !== null) {
      line = Number(hunk[1]);
      left = Number(hunk[2] ?? 1);
    } else if (left > 0 && text.startsWith("+")) {
      found.push(...secretsInLine(path, line, text.slice(1)));
      line += 1;
      left -= 1;
    } else if (left === 0 && text.startsWith("+++ ")) {
      path = text.slice(4).replace(/^b\//, "");
    }
  }
  return found;
}
