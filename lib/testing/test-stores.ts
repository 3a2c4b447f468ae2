/** Real stores for tests of both kinds: a directory or a database of its own each, gone afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../clock.ts";
import { DEFAULT_LIMITS } from "../core/limits.ts";
import { openStore, type Store, type StoreOptions } from "../store/store.ts";
import { silentLog } from "./silent-log.ts";
import { createTestDatabase } from "./test-database.ts";

export interface StorePlace {
  /** Where the store is; open it again to stand for another process. */
  readonly options: StoreOptions;
  open(more?: Partial<StoreOptions>): Promise<Store>;
  /** Closes what was opened and removes all of it. */
  remove(): Promise<void>;
}

export const STORE_KINDS = ["pglite", "postgres"] as const;

/** Makes a place for a store of that kind. */
export async function makeStorePlace(kind: (typeof STORE_KINDS)[number]): Promise<StorePlace> {
  return kind === "pglite" ? makeDirectory() : makeDatabase();
}

const SHARED = { limits: DEFAULT_LIMITS, clock: systemClock, log: silentLog };

async function makeDirectory(): Promise<StorePlace> {
  const dataDir = await mkdtemp(join(tmpdir(), "durable-resume-data-"));
  return placeOf({ ...SHARED, dataDir }, () => rm(dataDir, { recursive: true, force: true }));
}

async function makeDatabase(): Promise<StorePlace> {
  const database = await createTestDatabase();
  return placeOf({ ...SHARED, databaseUrl: database.url, dataDir: "unused" }, database.drop);
}

function placeOf(options: StoreOptions, removePlace: () => Promise<void>): StorePlace {
  const opened: Store[] = [];
  return {
    options,
    open: async (more) => {
      const store = await openStore({ ...options, ...more });
      opened.push(store);
      return store;
    },
    remove: async () => {
      for (const store of opened) await store.close();
      await removePlace();
    },
  };
}
