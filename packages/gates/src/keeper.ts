import { HiveError, isPathSegment, rescueRefName } from "@worktree-hive/domain";
import { deny } from "@worktree-hive/policy";
import { parseGitRequest, serveGit } from "./http-backend.ts";
import type { Hub } from "./hub.ts";
import { openReceiveHook, type ReceiveAnswer, type ReceivedPush } from "./receive-hook.ts";
import { listenUnix } from "./unix-server.ts";

export interface KeeperOptions {
  readonly hub: Hub;
  readonly jobId: string;
  /** Mounted for the hive's own processes only, never for agents. */
  readonly socketPath: string;
  readonly onError?: (error: unknown) => void;
}

export interface Keeper {
  readonly socketPath: string;
  close(): Promise<void>;
}

/**
 * Starts the keeper of a job: the door by which snapshots leave the jail into the hub. It takes new refs
 * `refs/hive/rescue/<jobId>/<n>` and nothing else; every object is checked again before it is let in.
 * @throws HiveError SOCKET_PATH_LONG, PATH_SEGMENT_INVALID
 */
export async function startKeeper(options: KeeperOptions): Promise<Keeper> {
  const { hub, jobId, socketPath, onError = ignore } = options;
  if (!isPathSegment(jobId)) {
    throw new HiveError("PATH_SEGMENT_INVALID", "invalid", `"${jobId}" cannot be part of a ref`);
  }
  const hook = await openReceiveHook((push) => Promise.resolve(judgeRescue(jobId, push)), onError);
  const own = rescueRefName(jobId, 0).replace(/0$/, "");
  const config = [
    `core.hooksPath=${hook.hooksDir}`,
    "http.receivepack=true",
    "receive.fsckObjects=true",
    "receive.autogc=false",
    // The jobs of others stay out of sight; upstream's branches show what need not be sent.
    "receive.hideRefs=refs/",
    "receive.hideRefs=!refs/remotes/origin/",
    `receive.hideRefs=!${own}`,
  ];
  const server = await listenUnix(socketPath, 0o600, (request, response) => {
    const asked = parseGitRequest(request.method ?? "", request.url ?? "/");
    if (asked?.service !== "git-receive-pack") {
      response
        .writeHead(403, { "content-type": "text/plain" })
        .end("hive: the keeper only takes snapshots\n");
      return;
    }
    serveGit({ gitDir: hub.dir, user: jobId, config }, asked, request, response).catch((error: unknown) => {
      onError(error);
      response.destroy();
    });
  });
  return {
    socketPath,
    close: async () => {
      await server.close();
      await hook.close();
    },
  };
}

function judgeRescue(jobId: string, { updates }: ReceivedPush): ReceiveAnswer {
  const prefix = rescueRefName(jobId, 0).replace(/0$/, "");
  const isNew = updates.every(({ ref, old, new: head }) => {
    const number = ref.startsWith(prefix) ? ref.slice(prefix.length) : "";
    return /^[1-9]\d{0,8}$/.test(number) && old === null && head !== null;
  });
  if (isNew && updates.length === 1) return { accepted: true, lines: [] };
  const { rule, reason } = deny("rescue.ref");
  return { accepted: false, lines: [`hive: denied ${rule}: ${reason}`] };
}

function ignore(): void {
  // the refusal has told the client; a composition that wants it logged passes onError
}
