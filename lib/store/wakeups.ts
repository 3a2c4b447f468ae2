/**
 * Wakes the readers of a run when it may have grown. A notification wakes; the table decides: whatever woke us, the
 * heads of the runs that someone watches are read, one statement for all of them and one at a time. A commit of this
 * process wakes its readers directly; those of other processes are told through a channel; and a look every
 * `catchUpEveryMs` finds what a lost notification did not tell.
 */
import type { Limits } from "../core/limits.ts";
import type { RunId } from "../core/ids.ts";
import type { Clock, Log, RunHead, Wakeups } from "../core/ports.ts";

/** How the processes that share a database tell each other that a run has grown. */
export interface Channel {
  notify(runId: RunId, lastSeq: number): void;
  state(): ReturnType<Wakeups["status"]>["listener"];
  close(): Promise<void>;
}

export interface ChannelEvents {
  /** Another process, or this one, says that the run has grown. */
  onNotified(runId: RunId, lastSeq: number): void;
  /** Listening begins, again or for the first time: what was told before is lost. */
  onListening(): void;
}

export interface WakeupsOptions {
  readonly readHeads: (runIds: readonly RunId[]) => Promise<RunHead[]>;
  readonly openChannel: (events: ChannelEvents) => Channel;
  readonly limits: Pick<Limits, "catchUpEveryMs">;
  readonly clock: Clock;
  readonly log: Log;
}

export function createWakeups(options: WakeupsOptions): Wakeups {
  return new ProcessWakeups(options);
}

/** For a database with one process: there is nobody else to tell. */
export const inProcessChannel = (): Channel => ({
  notify: () => {},
  state: () => "in-process",
  close: async () => {},
});

interface Watched {
  readonly watchers: Set<(head: RunHead) => void>;
  last: RunHead | undefined;
}

class ProcessWakeups implements Wakeups {
  readonly #options: WakeupsOptions;
  readonly #watched = new Map<RunId, Watched>();
  /** Runs to look at. */
  readonly #stale = new Set<RunId>();
  readonly #channel: Channel;
  #looking: Promise<void> | undefined;
  #cancelCatchUp: () => void;
  #closed = false;

  constructor(options: WakeupsOptions) {
    this.#options = options;
    this.#channel = options.openChannel({
      onNotified: (runId, lastSeq) => {
        // Our own commits come back as well; they have been looked at already.
        if ((this.#watched.get(runId)?.last?.lastSeq ?? 0) < lastSeq) this.#look([runId]);
      },
      onListening: () => this.#look(this.#watched.keys()),
    });
    this.#cancelCatchUp = this.#catchUpLater();
  }

  watch(runId: RunId, onHead: (head: RunHead) => void): () => void {
    const watched = this.#watched.get(runId) ?? { watchers: new Set(), last: undefined };
    this.#watched.set(runId, watched);
    // A function of its own, so that one callback may watch twice and stop once.
    const watcher = (head: RunHead) => onHead(head);
    watched.watchers.add(watcher);
    return () => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size === 0 && this.#watched.get(runId) === watched) {
        this.#watched.delete(runId);
      }
    };
  }

  committed(runId: RunId, lastSeq: number): void {
    this.#look([runId]);
    this.#channel.notify(runId, lastSeq);
  }

  status(): ReturnType<Wakeups["status"]> {
    return { listener: this.#channel.state(), watchedRuns: this.#watched.size };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelCatchUp();
    this.#watched.clear();
    await this.#channel.close();
    await this.#looking;
  }

  #catchUpLater(): () => void {
    const { clock, limits } = this.#options;
    return clock.after(limits.catchUpEveryMs, () => {
      this.#look(this.#watched.keys());
      if (!this.#closed) this.#cancelCatchUp = this.#catchUpLater();
    });
  }

  #look(runIds: Iterable<RunId>): void {
    for (const runId of runIds) if (this.#watched.has(runId)) this.#stale.add(runId);
    if (this.#stale.size > 0 && !this.#closed) this.#looking ??= this.#lookUntilFresh();
  }

  async #lookUntilFresh(): Promise<void> {
    try {
      while (this.#stale.size > 0) {
        const runIds = [...this.#stale];
        this.#stale.clear();
        for (const head of await this.#options.readHeads(runIds)) this.#deliver(head);
      }
    } catch (error) {
      // The next catch-up looks at all runs again.
      this.#options.log.warn({ error: String(error) }, "the heads of watched runs were not read");
    } finally {
      this.#looking = undefined;
    }
  }

  #deliver(head: RunHead): void {
    const watched = this.#watched.get(head.runId);
    if (!watched || !hasChanged(watched.last, head)) return;
    watched.last = head;
    for (const watcher of [...watched.watchers]) {
      try {
        watcher(head);
      } catch (error) {
        // One reader's failure must not keep the news from the others.
        this.#options.log.error({ error: String(error) }, "a watcher of a run failed");
      }
    }
  }
}

/** The time left of a lease changes always and is no news. */
function hasChanged(last: RunHead | undefined, head: RunHead): boolean {
  return (
    last === undefined ||
    last.lastSeq !== head.lastSeq ||
    last.status !== head.status ||
    last.attempts !== head.attempts ||
    last.fence !== head.fence ||
    last.leaseOwner !== head.leaseOwner ||
    last.nextTryAt !== head.nextTryAt
  );
}
