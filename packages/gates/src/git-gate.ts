import type { IncomingMessage, ServerResponse } from "node:http";
import { isHiveError, messageOf } from "@worktree-hive/domain";
import type { GitGateOptions } from "./gate-options.ts";
import { adoptPushed, openGateRepository } from "./gate-repository.ts";
import { handlePush } from "./handle-push.ts";
import { type GitRequest, parseGitRequest, serveGit } from "./http-backend.ts";
import { inTurn } from "./hub-lock.ts";
import { openReceiveHook } from "./receive-hook.ts";
import { listenUnix } from "./unix-server.ts";

export interface GitGate {
  readonly socketPath: string;
  /** Waits for a push in progress, then stops to serve. */
  close(): Promise<void>;
}

/**
 * Starts the git gate of a job: the `origin` of its worktree. The socket is the identity, so nobody logs in. Every
 * push is judged, charged, forwarded with the recorded tip as its lease, read back and recorded, one at a time.
 * @throws HiveError SOCKET_PATH_LONG, GIT_FAILED
 */
export async function startGitGate(options: GitGateOptions): Promise<GitGate> {
  const { job, hub, gateDir, socketPath } = options;
  const onError = options.onError ?? ignore;
  const repository = await openGateRepository(gateDir, hub, job);
  const pushed = { last: false };
  const deciding = <T>(work: () => Promise<T>): Promise<T> => inTurn(`push:${gateDir}`, work);
  const hook = await openReceiveHook(async (push) => {
    const answer = await deciding(() => handlePush(options, push));
    pushed.last = answer.accepted;
    return answer;
  }, onError);
  const backend = { gitDir: gateDir, user: job.id, config: [`core.hooksPath=${hook.hooksDir}`] };
  const turn = <T>(work: () => Promise<T>): Promise<T> => inTurn(`gate:${gateDir}`, work);

  const adopt = async (): Promise<void> => {
    if (!pushed.last) return;
    pushed.last = false;
    await adoptPushed(repository, hub, job.branch).catch(onError);
  };
  const serve = async (
    asked: GitRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    if (asked.advertise) await turn(() => repository.refresh());
    const push = !asked.advertise && asked.service === "git-receive-pack";
    if (!push) return serveGit(backend, asked, request, response);
    await turn(async () => {
      await serveGit(backend, asked, request, response, adopt);
      // git may have died under a decision: the next push waits for that one all the same.
      await deciding(() => Promise.resolve());
    });
  };
  const server = await listenUnix(socketPath, 0o666, (request, response) => {
    const asked = parseGitRequest(request.method ?? "", request.url ?? "/");
    if (asked === null) return refuse(response, 403, "hive: this is a git gate");
    serve(asked, request, response).catch((error: unknown) => {
      onError(error);
      refuse(
        response,
        isHiveError(error) && error.kind === "denied" ? 403 : 503,
        `hive: failed: ${messageOf(error)}`,
      );
    });
  });
  return {
    socketPath,
    close: async () => {
      await turn(() => Promise.resolve());
      await server.close();
      await hook.close();
    },
  };
}

function refuse(response: ServerResponse, status: number, text: string): void {
  if (!response.headersSent) response.writeHead(status, { "content-type": "text/plain" });
  response.end(`${text}\n`);
}

function ignore(): void {
  // the refusal has told the client; a composition that wants it logged passes onError
}
