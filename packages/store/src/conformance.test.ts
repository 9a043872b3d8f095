import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startPostgres, storeConformance } from "@worktree-hive/testkit";
import { openStore } from "./open-store.ts";

storeConformance("embedded", async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "hive-store-"));
  const store = await openStore({ kind: "embedded", dataDir });
  return {
    store,
    close: async () => {
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
});

storeConformance("PostgreSQL", async () => {
  const server = await startPostgres();
  const store = await openStore({ kind: "postgres", url: await server.createDatabase() });
  return {
    store,
    close: async () => {
      await store.close();
      await server.stop();
    },
  };
});
