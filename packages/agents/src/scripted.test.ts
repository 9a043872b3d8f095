import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentBehaviour, describeAgentConformance } from "@worktree-hive/testkit";
import { readResult } from "./result-file.ts";
import { scriptedAgent } from "./scripted.ts";

const LEAVE = 'echo $$ > "$CHILD_PID"; exec sleep 1000';
const STEPS: Record<AgentBehaviour, readonly object[]> = {
  stream: [{ say: "first" }, { sleep: 800 }, { say: "second" }],
  hang: [{ say: "first" }, { hang: true }],
  crash: [{ say: "first" }, { complain: "out of memory" }, { crash: 7 }],
  garbage: [{ garbage: "### not protocol ###" }, { say: "first" }],
  result: [{ result: { summary: "Done", question: "Which port?" } }],
  child: [{ spawn: LEAVE }, { sleep: 300 }],
  permission: [{ run: "touch denied.txt" }, { run: "touch allowed.txt" }],
};

describeAgentConformance("scripted", {
  asksPermission: true,
  readResult,
  make: (behaviour, directory) => {
    const script = join(directory, "script.json");
    writeFileSync(script, JSON.stringify({ runs: [{ steps: STEPS[behaviour] }] }));
    return scriptedAgent({ script });
  },
});
