/**
 * One owner's pen on one run: appends in order, one statement at a time, and keeps the events it knows, so that
 * an owner that goes on never reads what it wrote itself.
 *
 * Invariants: an append whose fate is unknown is retried under its id before anything else is appended; events
 * others stored in between (late outcomes, settlements) show as a gap in the seqs and are read before the append
 * is answered; after `fence-stale`, `ledger-closed` or `die` nothing more is written.
 */
import type { NewEvent, RunEvent } from "../core/event.ts";
import { type AppError, fenceStale, hasCode } from "../core/errors.ts";
import type { Appended, AppendWork } from "../core/ports.ts";
import type { Lease } from "../core/run-record.ts";
import type { RuntimeDeps } from "./deps.ts";
import { retryStore } from "./retry-store.ts";

/** What the owner learns from a commit. */
export interface Committed {
  readonly firstSeq: number;
  /** Monotonic milliseconds when the append was first sent; 0 when there was nothing to send. */
  readonly sentAt: number;
  /** true when the answer is not that of the first try, so that the fence in it may be old. */
  readonly repeated: boolean;
}

export interface OpenLedgerHooks {
  /** The run's cancel mark was seen. May be called more than once. */
  readonly onCancelRequested: () => void;
  /** Nothing can be written any more: fenced, closed, or a broken invariant. Called once. */
  readonly onLost: (error: unknown) => void;
}

interface Entry {
  readonly events: readonly NewEvent[];
  /** Makes the events inside of the commit, with an effect in the same database. */
  readonly work?: AppendWork | undefined;
  readonly ifUnmoved: boolean;
  readonly nextTryInMs: number | undefined;
  readonly resolve: (committed: Committed | "moved") => void;
  readonly reject: (error: unknown) => void;
}

export class OpenLedger {
  readonly events: RunEvent[];
  #queue: Entry[] = [];
  #writing = false;
  #dead = false;
  #lost: { readonly error: unknown } | undefined;
  readonly #deps: RuntimeDeps;
  readonly #lease: Lease;
  readonly #hooks: OpenLedgerHooks;

  constructor(
    deps: RuntimeDeps,
    start: { readonly lease: Lease; readonly events: RunEvent[] },
    hooks: OpenLedgerHooks,
  ) {
    this.#deps = deps;
    this.#lease = start.lease;
    this.events = start.events;
    this.#hooks = hooks;
  }

  get lastSeq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  /** Resolves once the events are stored. Throws `fence-stale` or `ledger-closed`; retries everything else. */
  async commit(events: readonly NewEvent[], nextTryInMs?: number): Promise<Committed> {
    const committed = await this.#enqueue(events, { nextTryInMs });
    if (committed === "moved") throw new Error("Broken invariant: an unconditional append moved");
    return committed;
  }

  /**
   * Stores the events only if the ledger holds nothing that this owner has not seen; else reads what is new and
   * returns false. The look and the append are one statement, under the run's row lock.
   */
  async commitIfUnmoved(events: readonly NewEvent[]): Promise<boolean> {
    return (await this.#enqueue(events, { ifUnmoved: true })) !== "moved";
  }

  /**
   * Stores what the work returns, in one transaction with what it does. Throws as `commit` does, and what the work
   * throws: then nothing was stored.
   */
  async commitWith(work: AppendWork): Promise<void> {
    await this.#enqueue([], { work });
  }

  /** Stores the events with the next commit, or soon by itself; a failure reaches `onLost`. */
  post(events: readonly NewEvent[]): void {
    this.#enqueue(events, {}).catch(() => {
      // Told through onLost, once for all entries that were waiting.
    });
  }

  /** Resolves once everything posted so far is stored. Throws as `commit` does. */
  async flush(): Promise<void> {
    if (this.#writing || this.#queue.length > 0) await this.#enqueue([], {});
    else if (this.#lost) throw this.#lost.error as Error;
  }

  /** From now on nothing is written and no commit is answered: the owner is dead to the store. */
  die(): void {
    this.#dead = true;
    this.#queue = [];
  }

  #enqueue(
    events: readonly NewEvent[],
    how: Partial<Pick<Entry, "ifUnmoved" | "nextTryInMs" | "work">>,
  ): Promise<Committed | "moved"> {
    if (this.#lost) return Promise.reject(this.#lost.error as Error);
    return new Promise((resolve, reject) => {
      if (this.#dead) return;
      const { ifUnmoved = false, nextTryInMs, work } = how;
      this.#queue.push({ events, ifUnmoved, nextTryInMs, work, resolve, reject });
      if (!this.#writing) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#writing = true;
    // Entries queued in the same tick share one commit.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#takeBatch();
      try {
        const answer = await this.#append(batch);
        if (this.#dead) return;
        answerEach(batch, answer);
      } catch (error) {
        if (this.#dead) return;
        if (error instanceof WorkFailed) {
          batch[0]?.reject(error.cause);
          continue;
        }
        this.#lose(error, batch);
        return;
      }
    }
    this.#writing = false;
  }

  /** Everything that waits goes into one append, except that a conditional one and one with an effect stand alone. */
  #takeBatch(): Entry[] {
    const standsAlone = ({ ifUnmoved, work }: Entry) => ifUnmoved || work !== undefined;
    if (this.#queue[0] && standsAlone(this.#queue[0])) return this.#queue.splice(0, 1);
    const end = this.#queue.findIndex(standsAlone);
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  async #append(batch: readonly Entry[]): Promise<Committed | "moved"> {
    const work = batch[0]?.work;
    if (work) return this.#appendWith(work);
    const events = batch.flatMap((entry) => entry.events);
    if (events.length === 0) {
      return { firstSeq: this.lastSeq + 1, sentAt: 0, repeated: false };
    }
    const nextTryInMs = batch.find((entry) => entry.nextTryInMs !== undefined)?.nextTryInMs;
    const request = {
      lease: this.#lease,
      appendId: this.#deps.ids.appendId(),
      events,
      ...(batch[0]?.ifUnmoved && { expectLastSeq: this.lastSeq }),
      ...(nextTryInMs !== undefined && { nextTryInMs }),
    };
    const sentAt = this.#deps.clock.monotonicMs();
    let tries = 0;
    const answer = await retryStore(this.#deps, "append", () => {
      tries += 1;
      return this.#deps.ledger.append(request);
    });
    return this.#learn(events, answer, { sentAt, repeated: tries > 1 });
  }

  async #appendWith(work: AppendWork): Promise<Committed | "moved"> {
    const place = { lease: this.#lease, appendId: this.#deps.ids.appendId() };
    const sentAt = this.#deps.clock.monotonicMs();
    let failure: { readonly error: unknown } | undefined;
    const watched: AppendWork = async (tx) => {
      failure = undefined;
      try {
        return await work(tx);
      } catch (error) {
        // A lost connection is the store's affair, and tried again.
        if (!hasCode(error, "store-unavailable")) failure = { error };
        throw error;
      }
    };
    let tries = 0;
    const taken = await retryStore(this.#deps, "append", async () => {
      tries += 1;
      try {
        return await this.#deps.ledger.appendWith(place, watched);
      } catch (error) {
        throw failure?.error === error ? new WorkFailed(error) : error;
      }
    });
    return this.#learn(taken.events, taken.appended, { sentAt, repeated: tries > 1 });
  }

  /** `events`: what the append stored; undefined when it has to be read. */
  async #learn(
    events: readonly NewEvent[] | undefined,
    answer: Appended,
    how: { readonly sentAt: number; readonly repeated: boolean },
  ): Promise<Committed | "moved"> {
    if (answer.kind === "moved") {
      await this.#readFrom(this.lastSeq);
      return "moved";
    }
    if (events && answer.firstSeq === this.lastSeq + 1) {
      const { at } = answer;
      events.forEach((event, i) =>
        this.events.push({ ...event, seq: answer.firstSeq + i, at } as RunEvent),
      );
    } else {
      await this.#readFrom(this.lastSeq);
    }
    if (answer.cancelRequested) this.#hooks.onCancelRequested();
    if (!answer.fenceCurrent) throw fenceStale(this.#lease.runId, this.#lease.fence);
    return { firstSeq: answer.firstSeq, ...how, repeated: how.repeated || answer.repeated };
  }

  async #readFrom(afterSeq: number): Promise<void> {
    const fresh = await readAll(this.#deps, this.#lease.runId, afterSeq);
    this.events.push(...fresh);
  }

  #lose(error: unknown, batch: readonly Entry[]): void {
    this.#lost = { error };
    const waiting = this.#queue.splice(0);
    for (const entry of [...batch, ...waiting]) entry.reject(error);
    this.#hooks.onLost(error);
  }
}

/** The work of an append threw, and its transaction was rolled back: the run is not lost by that. */
class WorkFailed extends Error {
  constructor(cause: unknown) {
    super("the work of an append failed", { cause });
    this.name = "WorkFailed";
  }
}

/** Tells each entry of a batch where its own events stand. */
function answerEach(batch: readonly Entry[], answer: Committed | "moved"): void {
  let offset = 0;
  for (const entry of batch) {
    entry.resolve(answer === "moved" ? answer : { ...answer, firstSeq: answer.firstSeq + offset });
    offset += entry.events.length;
  }
}

/** Reads a run's events after a seq, page by page, for as long as the database needs. */
export async function readAll(
  deps: RuntimeDeps,
  runId: Lease["runId"],
  afterSeq: number,
  signal?: AbortSignal,
): Promise<RunEvent[]> {
  const limit = deps.limits.pageEventsMax;
  const events: RunEvent[] = [];
  for (;;) {
    const after = events.at(-1)?.seq ?? afterSeq;
    const page = await retryStore(
      deps,
      "read",
      () => deps.ledger.read(runId, after, limit),
      signal,
    );
    for (const event of page) events.push(event);
    if (page.length < limit) return events;
  }
}

/** Tells whether an error means that this owner may not write any more. */
export function isLost(error: unknown): error is AppError {
  return hasCode(error, "fence-stale") || hasCode(error, "ledger-closed");
}
