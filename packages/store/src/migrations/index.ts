import { firstSchema } from "./0001-first-schema.ts";
import { commands } from "./0002-commands.ts";
import type { Migration } from "./migration.ts";

/** All migrations in order. Append only. */
export const MIGRATIONS: readonly Migration[] = [firstSchema, commands];
