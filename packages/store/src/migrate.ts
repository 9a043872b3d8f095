import { HiveError } from "@worktree-hive/domain";
import { MIGRATIONS } from "./migrations/index.ts";
import type { Migration } from "./migrations/migration.ts";
import type { PgPool, PgPoolClient } from "./pool.ts";

/** Of the advisory lock that lets one starter migrate at a time; any fixed number will do. */
const MIGRATION_LOCK = 4_823_001;

/**
 * Brings the schema up to date in one transaction: all missing migrations are applied, or none.
 * @throws HiveError STORE_SCHEMA_NEWER when a newer version has migrated the database
 */
export async function migrate(pool: PgPool, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    try {
      await applyMissing(client, migrations);
      await client.query("commit");
    } catch (error) {
      await client.query("rollback");
      throw error;
    }
  } finally {
    client.release();
  }
}

async function applyMissing(client: PgPoolClient, migrations: readonly Migration[]): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  await client.query(`create table if not exists schema_migrations (
    number integer primary key, name text not null, applied_at timestamptz not null default now())`);
  const { rows } = await client.query<{ number: number }>(
    "select max(number) as number from schema_migrations",
  );
  const applied = rows[0]?.number ?? 0;
  const newest = migrations.at(-1)?.number ?? 0;
  if (applied > newest) throw schemaNewer(applied, newest);
  for (const migration of migrations) {
    if (migration.number <= applied) continue;
    await client.query(migration.sql);
    await client.query("insert into schema_migrations (number, name) values ($1, $2)", [
      migration.number,
      migration.name,
    ]);
  }
}

function schemaNewer(applied: number, newest: number): HiveError {
  return new HiveError(
    "STORE_SCHEMA_NEWER",
    "invalid",
    `the database schema is at ${applied}, this program knows up to ${newest}`,
    { hint: "run the newer program; the schema is never taken back", context: { applied, newest } },
  );
}
