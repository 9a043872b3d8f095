export { fakeForgeCommand } from "./command.ts";
export type { RequestEntry } from "./control/request-log.ts";
export { ApiError, ForgeStartError, GitFailed } from "./errors.ts";
export type { Exchange, Observer } from "./http/exchange.ts";
export { parseSeed, readSeedFile } from "./seed/read-seed.ts";
export { Seed, type SeedInput } from "./seed/seed-schema.ts";
export { type FakeForge, type FakeForgeOptions, startFakeForge } from "./start-fake-forge.ts";
export type { Door } from "./state/doors.ts";
export type { ForgeState } from "./state/forge-state.ts";
