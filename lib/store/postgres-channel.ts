/**
 * Notifications between processes through PostgreSQL. Two connections of their own: one listens, for all readers of
 * the process; one notifies, for all its runs, apart from any commit, because a commit with a notification in it
 * waits for every other such commit of the database.
 *
 *   reconnecting ──listen answered──▶ listening ──closed, or a probe unanswered──▶ reconnecting (pause grows)
 */
import postgres from "postgres";
import { storeUnavailable } from "../core/errors.ts";
import { asRunId, type RunId } from "../core/ids.ts";
import type { DatabaseOptions } from "./database.ts";
import { connectionOptions, openPostgres } from "./postgres-database.ts";
import type { Channel, ChannelEvents } from "./wakeups.ts";

const CHANNEL = "durable_resume_runs";

export function openPostgresChannel(
  url: string,
  options: DatabaseOptions,
  events: ChannelEvents,
): Channel {
  const notifier = createNotifier(url, options);
  const listener = new Listener(url, options, events);
  return {
    notify: notifier.notify,
    state: () => (listener.isListening ? "listening" : "reconnecting"),
    close: async () => {
      await Promise.all([listener.close(), notifier.close()]);
    },
  };
}

/** Shape: run id, colon, seq. Example: `run_0123456789abcdefghjk:42`. Never the event itself: payloads are limited. */
function parsePayload(payload: string): { runId: RunId; lastSeq: number } | undefined {
  const [, runId, seq] = /^(.+):(\d{1,15})$/.exec(payload) ?? [];
  return runId === undefined ? undefined : { runId: asRunId(runId), lastSeq: Number(seq) };
}

const NOTIFY = `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) as payload`;

/**
 * Sends at once when nothing is under way; under load what gathers within `notifyEveryMs` goes in one call, since
 * each call is a commit that writers on the same database wait for.
 */
function createNotifier(url: string, options: DatabaseOptions) {
  const limits = { ...options.limits, storePoolSize: 1 };
  // A lost notification is found by the catch-up, so nobody waits for it to reach the disk.
  const settings = { synchronous_commit: "off" };
  const connection = openPostgres(url, { ...options, limits }, settings);
  const dirty = new Map<RunId, number>();
  const closed = new AbortController();
  let sending: Promise<void> | undefined;

  const sendAll = async () => {
    while (dirty.size > 0) {
      const payloads = [...dirty].map(([runId, lastSeq]) => `${runId}:${lastSeq}`);
      dirty.clear();
      try {
        await connection.query(NOTIFY, [payloads]);
      } catch (error) {
        options.log.warn({ error: String(error) }, "readers elsewhere were not notified");
      }
      if (dirty.size > 0) await options.clock.sleep(options.limits.notifyEveryMs, closed.signal);
    }
    sending = undefined;
  };

  return {
    notify: (runId: RunId, lastSeq: number) => {
      dirty.set(runId, lastSeq);
      sending ??= sendAll();
    },
    close: async () => {
      closed.abort();
      await sending;
      await connection.close();
    },
  };
}

type Connection = ReturnType<typeof postgres>;

class Listener {
  isListening = false;
  readonly #url: string;
  readonly #options: DatabaseOptions;
  readonly #events: ChannelEvents;
  readonly #closed = new AbortController();
  readonly #running: Promise<void>;

  constructor(url: string, options: DatabaseOptions, events: ChannelEvents) {
    this.#url = url;
    this.#options = options;
    this.#events = events;
    this.#running = this.#listenForEver();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #listenForEver(): Promise<void> {
    const { clock, limits } = this.#options;
    let pauseMs = limits.storeBackoffMs;
    while (!this.#closed.signal.aborted) {
      const wasListening = await this.#listenOnce();
      pauseMs = wasListening
        ? limits.storeBackoffMs
        : Math.min(pauseMs * 2, limits.storeBackoffMaxMs);
      await clock.sleep(pauseMs, this.#closed.signal);
    }
  }

  /** Listens until the connection is lost; tells whether it ever listened. */
  async #listenOnce(): Promise<boolean> {
    const lost = new AbortController();
    const end = () => lost.abort();
    this.#closed.signal.addEventListener("abort", end, { once: true });
    const connection = this.#connect(end);
    let hasListened = false;
    try {
      await this.#answerOf(connection.unsafe(`listen ${CHANNEL}`));
      this.isListening = hasListened = true;
      this.#events.onListening();
      await this.#probeUntil(lost.signal, connection);
    } catch (error) {
      this.#options.log.warn({ error: String(error) }, "listening for runs has to start again");
    } finally {
      this.isListening = false;
      this.#closed.signal.removeEventListener("abort", end);
      void connection.end({ timeout: 0 });
    }
    return hasListened;
  }

  #connect(onclose: () => void): Connection {
    const onnotify = (_channel: string, payload: string) => {
      const notified = parsePayload(payload);
      if (notified) this.#events.onNotified(notified.runId, notified.lastSeq);
    };
    const settings = { max: 1, max_lifetime: null, fetch_types: false, onclose, onnotify };
    return postgres(this.#url, { ...connectionOptions(this.#options), ...settings });
  }

  /** A half-open socket reports nothing: it is found out by asking. */
  async #probeUntil(lost: AbortSignal, connection: Connection): Promise<void> {
    const { clock, limits } = this.#options;
    for (;;) {
      await clock.sleep(limits.listenProbeMs, lost);
      if (lost.aborted) return;
      await this.#answerOf(connection.unsafe("select 1"));
    }
  }

  async #answerOf(statement: Promise<unknown>): Promise<void> {
    const { clock, limits } = this.#options;
    let cancel = () => {};
    const silence = new Promise<never>((_, reject) => {
      cancel = clock.after(limits.storeAnswerMs, () =>
        reject(storeUnavailable(`no answer for ${limits.storeAnswerMs} ms`)),
      );
    });
    try {
      await Promise.race([statement, silence]);
    } finally {
      cancel();
    }
  }
}
