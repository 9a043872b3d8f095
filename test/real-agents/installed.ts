import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("./node_modules", import.meta.url));

export interface RealAgents {
  /** The Claude Code program, one self-contained binary. */
  readonly claude: string;
  /** What a jail must show, read-only, for it to start. */
  readonly readOnlyPaths: readonly string[];
  /** The module of the scripted model server. */
  readonly aimock: string;
}

/** Finds the real agents. @throws Error with the command that installs them, when they are not there */
export function realAgents(): RealAgents {
  const directory = `${MODULES}/@anthropic-ai/claude-code`;
  const claude = `${directory}/bin/claude.exe`; // its name on every system
  const aimock = `${MODULES}/@copilotkit/aimock/dist/index.js`;
  for (const path of [claude, aimock]) {
    if (!existsSync(path)) {
      throw new Error(
        `The real agents are not installed; run: npm ci --prefix test/real-agents (missing ${path})`,
      );
    }
  }
  return { claude, aimock, readOnlyPaths: [directory] };
}
