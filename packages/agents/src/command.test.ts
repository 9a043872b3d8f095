import { type AgentBehaviour, describeAgentConformance } from "@worktree-hive/testkit";
import { commandAgent } from "./command.ts";
import { readResult } from "./result-file.ts";

const SCRIPTS: Record<AgentBehaviour, string> = {
  stream: "echo first; sleep 0.8; echo second",
  hang: "trap '' TERM INT; echo first; while :; do sleep 1000; done",
  crash: "echo first; echo 'out of memory' >&2; exit 7",
  garbage: "echo '### not protocol ###'; echo first",
  result: `echo '{"summary":"Done","question":"Which port?"}' > "$HIVE_RESULT"`,
  child: "setsid sh -c 'echo $$ > \"$CHILD_PID\"; exec sleep 1000' >/dev/null 2>&1 </dev/null & sleep 0.3",
  permission: "exit 1",
};

describeAgentConformance("command", {
  asksPermission: false,
  readResult,
  make: (behaviour) =>
    commandAgent({ name: "shell", command: ["sh", "-c", SCRIPTS[behaviour]], promptBy: "stdin" }),
});
