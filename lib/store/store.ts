/**
 * Opens the store: PostgreSQL where a URL is given, else the embedded database in a directory that is locked first.
 * The one entry for the composition root; both kinds have the same tables, the same SQL and the same ports.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Limits } from "../core/limits.ts";
import type { Clock, Effects, Leases, Ledger, Log, Runs, Wakeups } from "../core/ports.ts";
import { type DirectoryLock, lockDataDirectory } from "./data-directory-lock.ts";
import type { Database, DatabaseOptions } from "./database.ts";
import { createEffects } from "./effects.ts";
import { createLeases } from "./leases.ts";
import { createLedger } from "./ledger.ts";
import { MIGRATION_WAIT_MS, migrate } from "./migrate.ts";
import { openPostgresChannel } from "./postgres-channel.ts";
import { openPostgres } from "./postgres-database.ts";
import { createRuns, heads } from "./runs.ts";
import { createWakeups, inProcessChannel } from "./wakeups.ts";

export interface StoreOptions {
  /** PostgreSQL to use; without it the embedded database in `dataDir`. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  /** Where this process serves: what a second one on the same directory is told. */
  readonly address?: string | undefined;
  /** Owner ids of the dead processes that this one replaces: their leases end at once. */
  readonly predecessors?: readonly string[] | undefined;
  /** Folder of the migrations; default: `drizzle` in the working directory. */
  readonly migrationsFolder?: string | undefined;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
}

export interface StoreHealth {
  readonly database: "ok" | "unavailable";
  readonly listener: ReturnType<Wakeups["status"]>["listener"];
  readonly watchedRuns: number;
}

export interface Store {
  readonly kind: Database["kind"];
  readonly ledger: Ledger;
  readonly leases: Leases;
  readonly runs: Runs;
  readonly wakeups: Wakeups;
  readonly effects: Effects;
  /** Asks the database. Never throws. */
  health(): Promise<StoreHealth>;
  /** Ends watching and connections, and gives the data directory back. Doing it twice changes nothing. */
  close(): Promise<void>;
}

/** Opens and migrates. Throws `data-directory-locked`, `store-unavailable`. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl } = options;
  return databaseUrl === undefined ? openEmbedded(options) : openServer(options, databaseUrl);
}

async function openServer(options: StoreOptions, url: string): Promise<Store> {
  await migrateServer(options, url);
  const database = openPostgres(url, options);
  const store = assemble(options, database, (events) => openPostgresChannel(url, options, events));
  for (const owner of options.predecessors ?? []) await store.leases.expireOwner(owner);
  return store;
}

/** On a connection of its own, which may wait for another server's migration. */
async function migrateServer(options: StoreOptions, url: string): Promise<void> {
  const patient: Partial<Limits> = { storePoolSize: 1, storeAnswerMs: MIGRATION_WAIT_MS * 2 };
  const limits = { ...options.limits, ...patient };
  const database = openPostgres(url, { ...options, limits });
  try {
    await migrate(database, folderOf(options));
  } finally {
    await database.close();
  }
}

async function openEmbedded(options: StoreOptions): Promise<Store> {
  const lock = await lockDataDirectory(options.dataDir, options.address);
  try {
    const database = await openEmbeddedDatabase(options);
    const store = assemble(options, database, inProcessChannel, lock);
    // The lock proves every earlier owner dead.
    await store.leases.expireAll();
    return store;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openEmbeddedDatabase(options: StoreOptions): Promise<Database> {
  const directory = join(options.dataDir, "pglite");
  await mkdir(directory, { recursive: true });
  // Loaded here, so that a server on PostgreSQL does not carry the embedded one.
  const { openPglite } = await import("./pglite-database.ts");
  const database = await openPglite(directory);
  try {
    await migrate(database, folderOf(options));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function folderOf({ migrationsFolder }: StoreOptions): string {
  return migrationsFolder ?? join(process.cwd(), "drizzle");
}

type OpenChannel = Parameters<typeof createWakeups>[0]["openChannel"];

function assemble(
  { limits, clock, log }: DatabaseOptions,
  database: Database,
  openChannel: OpenChannel,
  lock?: DirectoryLock,
): Store {
  const readHeads = (runIds: Parameters<Runs["heads"]>[0]) => heads(database, runIds);
  const wakeups = createWakeups({ readHeads, openChannel, limits, clock, log });
  const onCommitted: Wakeups["committed"] = (runId, lastSeq) => wakeups.committed(runId, lastSeq);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await wakeups.close();
    await database.close();
    await lock?.release();
  };
  return {
    kind: database.kind,
    ledger: createLedger(database, onCommitted),
    leases: createLeases(database, onCommitted),
    runs: createRuns(database, onCommitted),
    effects: createEffects(database),
    wakeups,
    health: () => healthOf(database, wakeups),
    close: () => (closing ??= close()),
  };
}

async function healthOf(database: Database, wakeups: Wakeups): Promise<StoreHealth> {
  const { listener, watchedRuns } = wakeups.status();
  try {
    await database.query("select 1");
    return { database: "ok", listener, watchedRuns };
  } catch {
    // That it does not answer is the answer; whoever works with it logs why.
    return { database: "unavailable", listener, watchedRuns };
  }
}
