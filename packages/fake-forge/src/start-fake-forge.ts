import { rmSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { CheckQueue, resetScratch } from "./checks/check-queue.ts";
import { noFaults } from "./control/faults.ts";
import { RequestLog } from "./control/request-log.ts";
import { ForgeStartError } from "./errors.ts";
import type { Forge } from "./forge.ts";
import { writeHooks } from "./git/bare-repository.ts";
import type { Observer } from "./http/exchange.ts";
import { startLogServer } from "./http/log-server.ts";
import { buildServer } from "./http/server.ts";
import { reconcileRefs } from "./operations/reconcile-refs.ts";
import { applySeed } from "./seed/apply-seed.ts";
import { parseSeed } from "./seed/read-seed.ts";
import type { SeedInput } from "./seed/seed-schema.ts";
import type { ForgeState } from "./state/forge-state.ts";
import { type Journal, openJournal } from "./state/journal.ts";
import { Courier } from "./webhooks/courier.ts";

export interface FakeForgeOptions {
  /** Holds the repositories and the state; a second start with the same one continues, and ignores the seed. */
  dataDir: string;
  /** Free port unless given. */
  port?: number;
  /** Also listen here, for clients such as `gh` with `http_unix_socket`. */
  socket?: string;
  seed: SeedInput;
  /** Sees every REST answer, errors included; not git, GraphQL, logs or `/_forge`. For tests of what is sent. */
  observe?: Observer;
}

export interface FakeForge {
  /** `http://127.0.0.1:PORT`: REST root, pages, and git. */
  readonly url: string;
  readonly port: number;
  /** The live state, for assertions. */
  readonly state: ForgeState;
  /** Resolves when no check runs and no webhook is on its way. */
  idle(): Promise<void>;
  /** Stops everything it started and writes the state. */
  close(): Promise<void>;
}

/** Starts a forge on loopback. Throws ForgeStartError with the code that says why it can't. */
export async function startFakeForge(options: FakeForgeOptions): Promise<FakeForge> {
  const seed = parseSeed(options.seed);
  const journal = openJournal(options.dataDir);
  const forge = createForge(options.dataDir, journal);
  resetScratch(options.dataDir);
  writeHooks(options.dataDir);
  const app = await buildServer(forge, options.observe);
  const port = await listen(app, options.port ?? 0);
  forge.url = `http://127.0.0.1:${port}`;
  const logs = await startLogServer(forge);
  const second =
    options.socket === undefined ? null : await listenOnSocket(forge, options.socket, options.observe);
  if (journal.restored) await reconcileRefs(forge);
  else await applySeed(forge, seed);
  forge.checks.resume();
  return {
    url: forge.url,
    port,
    state: forge.state,
    idle: async () => {
      await forge.checks.idle();
      await forge.courier.idle();
    },
    close: async () => {
      await Promise.all([app.close(), second?.close()]);
      logs.closeAllConnections();
      await new Promise((resolve) => logs.close(resolve));
      await forge.checks.close();
      await forge.courier.close();
      journal.close();
    },
  };
}

function createForge(dataDir: string, journal: Journal): Forge {
  const forge: Forge = {
    state: journal.state,
    dataDir,
    url: "",
    blobUrl: "",
    now: () => new Date().toISOString().replace(/\.\d{3}Z$/, "Z"),
    nextId: () => {
      forge.state.nextId += 1;
      return forge.state.nextId;
    },
    changed: () => journal.changed(),
    courier: new Courier(() => forge),
    checks: new CheckQueue(() => forge),
    requests: new RequestLog(),
    faults: noFaults(),
  };
  return forge;
}

async function listen(app: FastifyInstance, port: number): Promise<number> {
  try {
    await app.listen({ host: "127.0.0.1", port });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    throw new ForgeStartError("FORGE_PORT_TAKEN", `port ${port} is taken on 127.0.0.1`, cause);
  }
  const address = app.server.address();
  if (address === null || typeof address === "string") throw new Error("the forge has no port");
  return address.port;
}

/** The same forge on a unix socket; a stale socket file of an earlier start is replaced. */
async function listenOnSocket(forge: Forge, path: string, observe?: Observer): Promise<FastifyInstance> {
  rmSync(path, { force: true });
  const app = await buildServer(forge, observe);
  await app.listen({ path });
  return app;
}
