/** A database of its own for each test file, on the server that postgres-server.ts started. */
import { inject } from "vitest";
import { systemClock } from "../clock.ts";
import { DEFAULT_LIMITS } from "../core/limits.ts";
import { randomText } from "../random-ids.ts";
import { openPostgres } from "../store/postgres-database.ts";
import { silentLog } from "./silent-log.ts";

export interface TestDatabase {
  readonly url: string;
  /** Ends what is still connected, and the database. */
  drop(): Promise<void>;
}

/** Makes an empty database. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject("postgresUrl");
  const name = `test_${randomText(12)}`;
  await onServer(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => onServer(serverUrl, `drop database ${name} with (force)`),
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const options = { limits: DEFAULT_LIMITS, clock: systemClock, log: silentLog };
  const server = openPostgres(url, options);
  try {
    await server.query(statement);
  } finally {
    await server.close();
  }
}
