export { type AgentBehaviour, type AgentUnderTest, describeAgentConformance } from "./agent-conformance.ts";
export { freePort } from "./free-port.ts";
export { type QueueUnderTest, queueConformance } from "./queue-conformance.ts";
export { startPostgres, type TestPostgres } from "./start-postgres.ts";
export { startRedis, type TestRedis } from "./start-redis.ts";
export type { StoreUnderTest } from "./store/store-under-test.ts";
export { storeConformance } from "./store-conformance.ts";
