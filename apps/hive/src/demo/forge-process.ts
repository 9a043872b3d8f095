import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { HiveError } from "@worktree-hive/domain";
import { type RunningCommand, start } from "@worktree-hive/exec";
import { forgeSeed } from "./world.ts";

export interface ForgeProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the fake forge as a process of its own and waits until it listens. Throws `FORGE_UNREACHABLE`. */
export async function startForge(directory: string, source: string): Promise<ForgeProcess> {
  const seed = join(directory, "forge-seed.json");
  await writeFile(seed, JSON.stringify(forgeSeed(source)));
  const program = createRequire(import.meta.url).resolve("@worktree-hive/fake-forge/bin/fake-forge.js");
  // Its standard input is a pipe from this process: when this process dies, even by SIGKILL, the forge ends as well.
  const args = [
    program,
    "--until-stdin-ends",
    "--port",
    "0",
    "--data",
    join(directory, "forge"),
    "--seed",
    seed,
  ];
  const child = start(process.execPath, args, { cwd: directory });
  const url = await listening(child);
  return { url, stop: () => child.kill() };
}

async function listening(child: RunningCommand): Promise<string> {
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => complaints.push(line));
  for await (const line of createInterface({ input: child.stdout })) {
    const said = parsed(line);
    if (said?.event === "listening" && said.url !== undefined) return said.url;
  }
  throw new HiveError(
    "FORGE_UNREACHABLE",
    "retryable",
    `the fake forge did not start: ${complaints.join("; ")}`,
  );
}

function parsed(line: string): { event?: string; url?: string } | null {
  try {
    return JSON.parse(line) as { event?: string; url?: string };
  } catch {
    return null; // some other output
  }
}
