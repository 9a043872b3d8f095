import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "@worktree-hive/domain";
import type { RefUpdate } from "@worktree-hive/policy";
import { listenUnix } from "./unix-server.ts";

/** What `receive-pack` holds back until the hook has answered. */
export interface ReceivedPush {
  readonly updates: readonly RefUpdate[];
  /** Push options of the client, for example `hive.lease=<sha>`. */
  readonly options: readonly string[];
  /** Environment that makes git see the quarantined objects. */
  readonly quarantine: Readonly<Record<string, string>>;
}

export interface ReceiveAnswer {
  readonly accepted: boolean;
  /** Lines for the one who pushes. */
  readonly lines: readonly string[];
}

export interface ReceiveHook {
  /** For `core.hooksPath`; outside every directory that an agent sees. */
  readonly hooksDir: string;
  close(): Promise<void>;
}

const QUARANTINE = ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"] as const;

/** Plain JavaScript: it runs under git, without our build. Refuses whenever it gets no clear answer. */
const SCRIPT = `import { request } from "node:http";
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const options = Array.from({ length: Number(process.env.GIT_PUSH_OPTION_COUNT ?? 0) }, (_, n) => process.env["GIT_PUSH_OPTION_" + n] ?? "");
const quarantine = {};
for (const name of ${JSON.stringify(QUARANTINE)}) if (process.env[name] !== undefined) quarantine[name] = process.env[name];
const call = request({ socketPath: process.argv[2], method: "POST", path: "/" }, (answer) => {
  let text = "";
  answer.setEncoding("utf8").on("data", (part) => { text += part; }).on("end", () => {
    const { accepted, lines } = JSON.parse(text);
    for (const line of lines) process.stderr.write(line + "\\n");
    process.exitCode = accepted === true ? 0 : 1;
  });
});
process.exitCode = 1;
call.on("error", () => { process.stderr.write("hive: failed: the gate does not answer\\n"); });
call.end(JSON.stringify({ lines: Buffer.concat(chunks).toString("utf8"), options, quarantine }));
`;

/**
 * Sets up a `pre-receive` hook that asks `decide`. A thrown error refuses the push.
 * @param onError gets what `decide` threw
 */
export async function openReceiveHook(
  decide: (push: ReceivedPush) => Promise<ReceiveAnswer>,
  onError: (error: unknown) => void,
): Promise<ReceiveHook> {
  // A short path of its own: socket paths are limited, and it must not lie where an agent could reach it.
  const hooksDir = await mkdtemp(join(tmpdir(), "hive-hook-"));
  const socketPath = join(hooksDir, "control.sock");
  const server = await listenUnix(socketPath, 0o600, (request, response) => {
    void answer(request, decide, onError).then((it) => response.end(JSON.stringify(it)));
  });
  const script = join(hooksDir, "pre-receive.mjs");
  await writeFile(script, SCRIPT);
  const hook = join(hooksDir, "pre-receive");
  await writeFile(hook, `#!/bin/sh\nexec ${[process.execPath, script, socketPath].map(quote).join(" ")}\n`);
  await chmod(hook, 0o755);
  return {
    hooksDir,
    close: async () => {
      await server.close();
      await rm(hooksDir, { recursive: true, force: true });
    },
  };
}

async function answer(
  request: IncomingMessage,
  decide: (push: ReceivedPush) => Promise<ReceiveAnswer>,
  onError: (error: unknown) => void,
): Promise<ReceiveAnswer> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const told = JSON.parse(Buffer.concat(chunks).toString("utf8")) as HookCall;
    return await decide({
      updates: parseUpdates(told.lines),
      options: told.options,
      quarantine: told.quarantine,
    });
  } catch (error) {
    onError(error);
    return { accepted: false, lines: [`hive: failed: ${messageOf(error)}`] };
  }
}

interface HookCall {
  readonly lines: string;
  readonly options: string[];
  readonly quarantine: Record<string, string>;
}

function parseUpdates(lines: string): RefUpdate[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [old = "", now = "", ...ref] = line.split(" ");
      return { ref: ref.join(" "), old: shaOrNull(old), new: shaOrNull(now) };
    });
}

function shaOrNull(text: string): string | null {
  return /^0+$/.test(text) ? null : text;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
