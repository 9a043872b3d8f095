import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { Faults } from "./faults.ts";

/** The control API of tests and the demo: loopback TCP only, never through the unix socket that jails see. */
export function controlRoutes(app: FastifyInstance, forge: Forge): void {
  const guarded = <T>(work: (request: FastifyRequest) => T) => {
    return async (request: FastifyRequest): Promise<T> => {
      const { remoteAddress } = request.raw.socket;
      if (remoteAddress !== "127.0.0.1" && remoteAddress !== "::1") throw new ApiError(404, "Not Found");
      return work(request);
    };
  };
  app.get(
    "/_forge/doors",
    guarded(() => ({ doors: forge.state.doors })),
  );
  app.get(
    "/_forge/log",
    guarded((request) => {
      const { login } = request.query as Record<string, string>;
      return { requests: forge.requests.entries.filter((it) => login === undefined || it.login === login) };
    }),
  );
  app.get(
    "/_forge/health",
    guarded(() => ({ ok: true })),
  );
  app.get(
    "/_forge/faults",
    guarded(() => forge.faults),
  );
  app.post(
    "/_forge/faults",
    guarded((request) => {
      const parsed = Faults.safeParse(request.body ?? {});
      if (!parsed.success) throw new ApiError(422, parsed.error.message);
      Object.assign(forge.faults, parsed.data);
      return forge.faults;
    }),
  );
}
