/**
 * PostgreSQL through postgres.js. Statements are prepared once per connection. Nothing may hang for ever: the
 * server ends waits for locks and long statements, and a connection that answers nothing for longer than that is
 * half open, which no socket reports: then the whole pool is replaced, and its statements fail as unavailable.
 */
import postgres from "postgres";
import { storeUnavailable } from "../core/errors.ts";
import { INT8, PARSERS, storable, TIMESTAMPTZ } from "./database.ts";
import type { Database, DatabaseOptions, Sql, SqlValue } from "./database.ts";
import { translateError } from "./store-error.ts";

type Pool = postgres.Sql<Record<string, unknown>>;
type Statements = Pick<Pool, "unsafe">;

/** Settings of the server's session. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/** Connects on the first statement. */
export function openPostgres(
  url: string,
  options: DatabaseOptions,
  settings: SessionSettings = {},
): Database {
  const holder = new PoolHolder(url, options, settings);
  return {
    kind: "postgres",
    query: (text, values) => holder.run((pool) => sqlOn(pool).query(text, values)),
    transaction: (work) =>
      holder.run((pool) => pool.begin((tx) => work(sqlOn(tx)))) as ReturnType<typeof work>,
    close: () => holder.close(),
  };
}

/** The settings every connection of this process shares. */
export function connectionOptions({ limits }: DatabaseOptions) {
  const whole = { to: INT8, from: [INT8], serialize: String, parse: PARSERS[INT8] };
  const time = {
    to: TIMESTAMPTZ,
    from: [TIMESTAMPTZ],
    serialize: String,
    parse: PARSERS[TIMESTAMPTZ],
  };
  return {
    types: { whole, time },
    connect_timeout: Math.ceil(limits.storeStatementMs / 1_000),
    onnotice: () => {},
    connection: {
      application_name: "durable-resume",
      statement_timeout: limits.storeStatementMs,
      lock_timeout: limits.storeLockMs,
      idle_in_transaction_session_timeout: limits.storeStatementMs,
    },
  };
}

class PoolHolder {
  readonly #url: string;
  readonly #options: DatabaseOptions;
  readonly #settings: SessionSettings;
  #pool: Pool;

  constructor(url: string, options: DatabaseOptions, settings: SessionSettings) {
    this.#url = url;
    this.#options = options;
    this.#settings = settings;
    this.#pool = this.#open();
  }

  #open(): Pool {
    const shared = connectionOptions(this.#options);
    const connection = { ...shared.connection, ...this.#settings };
    const max = this.#options.limits.storePoolSize;
    return postgres(this.#url, { ...shared, connection, max }) as unknown as Pool;
  }

  async run<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
    const pool = this.#pool;
    const silence = this.#silenceOf(pool);
    try {
      return await Promise.race([work(pool), silence.broken]);
    } catch (error) {
      throw translateError(error);
    } finally {
      silence.cancel();
    }
  }

  /** Rejects when no answer came for so long that the connection must be dead. */
  #silenceOf(pool: Pool) {
    const { clock, limits } = this.#options;
    let cancel = () => {};
    const broken = new Promise<never>((_, reject) => {
      cancel = clock.after(limits.storeAnswerMs, () => {
        this.#replace(pool);
        reject(storeUnavailable(`no answer for ${limits.storeAnswerMs} ms`));
      });
    });
    return { broken, cancel };
  }

  #replace(dead: Pool): void {
    if (this.#pool !== dead) return;
    this.#options.log.warn({}, "the database does not answer; connecting anew");
    this.#pool = this.#open();
    void dead.end({ timeout: 0 });
  }

  async close(): Promise<void> {
    await this.#pool.end({ timeout: this.#options.limits.storeAnswerMs / 1_000 });
  }
}

function sqlOn(connection: Statements): Sql {
  return {
    query: async <Row extends object>(text: string, values: readonly SqlValue[] = []) => {
      try {
        const parameters = values.map(storable) as postgres.ParameterOrJSON<never>[];
        return (await connection.unsafe(text, parameters, { prepare: true })) as unknown as Row[];
      } catch (error) {
        throw translateError(error);
      }
    },
  };
}
