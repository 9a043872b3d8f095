import { judgeSetting } from "./git-config.ts";
import { table } from "./option-table.ts";
import { hasOption, parseOptions } from "./options.ts";
import { ALLOWED, type Arg, type CommandVerdict, refuse } from "./scene.ts";

const CONFIG = table(
  "get get-all get-regexp get-urlmatch list show-origin show-scope null name-only global system local worktree unset unset-all add replace-all edit remove-section rename-section bool int path includes",
  "file type default blob",
  { l: "list", z: "null", f: "file", e: "edit" },
);

/** `git config`: reading is free, writing is limited to what neither runs programs nor redirects git (WH-020). */
export function judgeConfig(args: readonly Arg[]): CommandVerdict {
  const parsed = parseOptions(args, CONFIG);
  const [key, value] = parsed.positionals;
  const changes = hasOption(
    parsed,
    "unset",
    "unset-all",
    "add",
    "replace-all",
    "edit",
    "remove-section",
    "rename-section",
  );
  const reads = hasOption(parsed, "list", "get", "get-all", "get-regexp", "get-urlmatch");
  if (reads || (!changes && value === undefined)) return ALLOWED;
  if (hasOption(parsed, "global", "system", "file", "worktree", "edit")) return refuse("guard.tamper");
  const name = key?.text.toLowerCase() ?? "";
  const verdict = judgeSetting(name, value?.text ?? "");
  if (verdict !== null) return verdict.rule === "git.alias" ? verdict : refuse("guard.tamper");
  return /^(?:push|remote|branch|pull|core|merge|rebase|commit|gc|receive)\./.test(name)
    ? refuse("guard.tamper")
    : ALLOWED;
}
