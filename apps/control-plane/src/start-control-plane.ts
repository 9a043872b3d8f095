import { HiveError } from "@worktree-hive/domain";
import type { FastifyInstance } from "fastify";
import { buildControlPlane } from "./control-plane.ts";
import type { ControlPlaneDeps } from "./control-plane-deps.ts";

export interface RunningControlPlane {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Says "not ready" first, ends event streams, finishes what it is at. The store and the queue stay open. */
  close(): Promise<void>;
}

/** How long closing waits for requests that are being answered, in milliseconds. */
const REQUESTS_END_MS = 1_500;

/** A connection that a client keeps open after its last answer must not hold up the end. */
async function closeWithin(app: FastifyInstance, ms: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), ms);
  await app.close();
  clearTimeout(cut);
}

/** Builds the control plane and listens on `config.server`. Throws `PORT_TAKEN` and what `buildControlPlane` throws. */
export async function startControlPlane(deps: ControlPlaneDeps): Promise<RunningControlPlane> {
  const { host, port } = deps.config.server;
  const app = buildControlPlane(deps);
  try {
    const url = await app.listen({ host, port });
    deps.log.info({ url, version: deps.version }, "control plane listens");
    return { url, close: () => closeWithin(app, REQUESTS_END_MS) };
  } catch (error) {
    await app.close();
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    throw new HiveError("PORT_TAKEN", "conflict", `another program listens on ${host}:${port}`, {
      hint: "stop it, or set server.port in hive.yaml",
      cause: error,
    });
  }
}
