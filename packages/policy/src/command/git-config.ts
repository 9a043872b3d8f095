import type { Arg } from "./scene.ts";
import { type CommandVerdict, refuse } from "./scene.ts";

/** Settings that make git run a program, by key; compared without case. */
const PROGRAMS =
  /^(?:core\.(?:sshcommand|pager|editor|fsmonitor|gitproxy|askpass|alternaterefscommand|worktree|attributesfile)|sequence\.editor|credential\b.*|filter\..*|diff\.external|diff\..*\.(?:command|textconv)|(?:diff|merge)tool\..*|merge\..*\.driver|gpg\b.*|pager\..*|tar\..*|protocol\..*|uploadpack\..*|remote\..*\.(?:uploadpack|receivepack|vcs)|include(?:if\..*)?\.path|submodule\..*|trailer\..*|browser\..*|man\..*|web\..*|interactive\.difffilter|sendemail\..*|init\.templatedir|help\.autocorrect|ssh\..*|instaweb\..*|guitool\..*)$/i;
const GUARD =
  /^(?:url\..*|http\..*|https\..*|remote\..*\.(?:url|pushurl|proxy)|extensions\..*|safe\..*|receive\..*|core\.bare)$/i;
const HARMLESS_PAGERS = new Set(["", "cat", "less"]);

/** Judges one `key=value` given with `-c`, or a key that is to be set. */
export function judgeSetting(key: string, value: string): CommandVerdict | null {
  const name = key.toLowerCase();
  if (name.startsWith("alias.")) return refuse("git.alias");
  if (name === "core.hookspath") return refuse("guard.skip");
  if (name === "core.pager" && HARMLESS_PAGERS.has(value)) return null;
  if (name === "core.editor" && isInert(value)) return null;
  if (PROGRAMS.test(key)) return refuse("git.exec-inject", `${key} makes git run a program`);
  if (GUARD.test(key)) return refuse("guard.tamper", `${key} decides where git goes`);
  if (/^remote\..*\.mirror$/.test(name)) return refuse("push.force-bare");
  if (/^remote\..*\.push$/.test(name))
    return refuse(value.startsWith("+") ? "push.force-bare" : "push.ref-other");
  if (name === "push.default" && !/^(?:simple|current|upstream|nothing)$/.test(value))
    return refuse("push.ref-other");
  if (name === "push.followtags" || name === "branch.autosetupmerge") return refuse("push.ref-other");
  if (/^branch\..*\.(?:merge|remote|pushremote)$/.test(name) || name === "remote.pushdefault") {
    return refuse("push.ref-other");
  }
  return null;
}

/** True for a program that does nothing. */
function isInert(value: string): boolean {
  return ["true", ":", "cat", "/bin/true", "/usr/bin/true"].includes(value);
}

const REDIRECTS =
  /^(?:GIT_DIR|GIT_WORK_TREE|GIT_COMMON_DIR|GIT_OBJECT_DIRECTORY|GIT_ALTERNATE_OBJECT_DIRECTORIES|GIT_INDEX_FILE|GIT_NAMESPACE|GIT_CEILING_DIRECTORIES|GIT_SHALLOW_FILE)$/;
const INJECTS =
  /^(?:GIT_SSH|GIT_SSH_COMMAND|GIT_ASKPASS|SSH_ASKPASS|GIT_PROXY_COMMAND|GIT_EXTERNAL_DIFF|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_ALLOW_PROTOCOL|LD_PRELOAD|LD_LIBRARY_PATH|BASH_ENV|ENV)$/;
const EDITORS = /^(?:GIT_EDITOR|GIT_SEQUENCE_EDITOR|EDITOR|VISUAL|GIT_PAGER|PAGER)$/;

/** Judges an environment variable in front of git or gh. */
export function judgeVariable(name: string, value: Arg): CommandVerdict | null {
  if (name.startsWith("GIT_CONFIG") || name === "HOME" || name === "XDG_CONFIG_HOME")
    return refuse("git.alias");
  if (REDIRECTS.test(name)) return refuse("git.env-redirect", `${name} points git elsewhere`);
  if (INJECTS.test(name)) return refuse("git.exec-inject", `${name} makes git run a program`);
  if (EDITORS.test(name) && !(value.known && isInert(value.text))) return refuse("git.exec-inject");
  if (/^(?:HUSKY|HUSKY_SKIP_HOOKS|PRE_COMMIT_ALLOW_NO_CONFIG|SKIP)$/.test(name)) return refuse("guard.skip");
  if (/^(?:GH_CONFIG_DIR|GH_HOST|GH_TOKEN|GITHUB_TOKEN|https?_proxy|ALL_PROXY)$/i.test(name)) {
    return refuse("guard.tamper", `${name} leads around the gate`);
  }
  return null;
}
