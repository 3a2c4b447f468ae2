/**
 * The embedded database: PostgreSQL in this process, in a directory. One connection, so statements queue and a
 * transaction keeps all others waiting. The directory must be locked before (data-directory-lock.ts): PGlite does
 * not notice a second process.
 */
import { PGlite, type Transaction } from "@electric-sql/pglite";
import { storeUnavailable } from "../core/errors.ts";
import { PARSERS, storable } from "./database.ts";
import type { Database, Sql, SqlValue } from "./database.ts";
import { translateError } from "./store-error.ts";

/** Opens or makes the database in `directory`; undefined keeps it in memory. */
export async function openPglite(directory: string | undefined): Promise<Database> {
  const options = { parsers: PARSERS };
  const pglite = await PGlite.create(
    directory === undefined ? options : { ...options, dataDir: directory },
  );
  return {
    kind: "pglite",
    query: sqlOn(pglite).query,
    transaction: async (work) => {
      try {
        return await pglite.transaction((tx) => work(sqlOn(tx)));
      } catch (error) {
        throw translate(error, pglite);
      }
    },
    close: () => pglite.close(),
  };
}

/** PGlite has no code for being closed. */
function translate(error: unknown, connection: { readonly closed?: boolean }): unknown {
  return connection.closed
    ? storeUnavailable("the database was closed", error)
    : translateError(error);
}

function sqlOn(connection: Pick<Transaction, "query" | "closed">): Sql {
  return {
    query: async <Row extends object>(text: string, values: readonly SqlValue[] = []) => {
      try {
        const { rows } = await connection.query<Row>(text, values.map(storable));
        return rows;
      } catch (error) {
        throw translate(error, connection);
      }
    },
  };
}
