/**
 * Brings the tables up to date at start. All that is missing is applied in one transaction under an advisory lock,
 * so that two servers that start at once do it once and neither sees half of it. The record of what was applied
 * is drizzle's own, so that its command line agrees.
 */
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Database, Sql } from "./database.ts";

/** Any fixed number that nobody else locks. */
const MIGRATION_LOCK = 7_236_418_801;

/** How long a server waits for another one's migration. Milliseconds. */
export const MIGRATION_WAIT_MS = 60_000;

const RECORD = [
  "create schema if not exists drizzle",
  `create table if not exists drizzle.__drizzle_migrations (
    id serial primary key,
    hash text not null,
    created_at bigint
  )`,
];

/** Applies what `folder` has and the database has not. Throws `store-unavailable`. */
export async function migrate(database: Database, folder: string): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  await database.transaction(async (tx) => {
    await tx.query(`set local lock_timeout = ${MIGRATION_WAIT_MS}`);
    await tx.query(`set local statement_timeout = ${MIGRATION_WAIT_MS}`);
    await tx.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    const last = await lastApplied(tx);
    for (const { sql, hash, folderMillis } of migrations) {
      if (folderMillis <= last) continue;
      for (const statement of sql) await tx.query(statement);
      await tx.query(
        "insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)",
        [hash, folderMillis],
      );
    }
  });
}

/** Makes the record if it is missing, and only then: that needs a right which a server may not have later. */
async function lastApplied(tx: Sql): Promise<number> {
  const [record] = await tx.query<{ exists: boolean }>(
    "select to_regclass('drizzle.__drizzle_migrations') is not null as exists",
  );
  if (!record?.exists) for (const statement of RECORD) await tx.query(statement);
  const [row] = await tx.query<{ last: number }>(
    "select coalesce(max(created_at), 0)::bigint as last from drizzle.__drizzle_migrations",
  );
  return row?.last ?? 0;
}
