/**
 * One reader per run and process, however many watch: it follows the run's head, reads each new row once, encodes
 * it once and keeps the newest frames in a ring. Watchers are cursors into the ring; nothing is queued for them.
 * A notification wakes; the table decides.
 */
import type { RunId } from "../core/ids.ts";
import type { Limits } from "../core/limits.ts";
import type { Clock, Ledger, Log, RunHead, Runs, Wakeups } from "../core/ports.ts";
import { ledgerFrame } from "./sse.ts";

export interface HubDeps {
  readonly ledger: Pick<Ledger, "read">;
  readonly runs: Pick<Runs, "heads">;
  readonly wakeups: Pick<Wakeups, "watch">;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
}

interface Frame {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** Frames kept for watchers that are close to the head; those further behind read pages. */
const RING_FRAMES_MAX = 1_000;
const RING_BYTES_MAX = 1024 * 1024;
/** Rows of one read. */
const READ_ROWS = 500;

export class RunFeed {
  readonly #deps: HubDeps;
  readonly #runId: RunId;
  readonly #ring: Frame[] = [];
  readonly #listeners = new Set<() => void>();
  #ringBytes = 0;
  #readTo: number;
  #reading = false;
  #closed = false;
  head: RunHead;

  constructor(deps: HubDeps, head: RunHead) {
    this.#deps = deps;
    this.#runId = head.runId;
    this.#readTo = head.lastSeq;
    this.head = head;
  }

  /** Frames after the cursor as one chunk of bounded size; undefined when the ring does not reach back that far. */
  after(cursor: number, bytesMax: number): { bytes: Uint8Array; cursor: number } | undefined {
    const first = this.#ring[0]?.seq ?? this.#readTo + 1;
    if (cursor < first - 1) return undefined;
    return joined(this.#ring.slice(cursor - first + 1), cursor, bytesMax);
  }

  /** seq up to which rows have been read. */
  get readTo(): number {
    return this.#readTo;
  }

  /** Calls once per change until it is stopped. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  moved(head: RunHead): void {
    this.head = head;
    if (head.lastSeq > this.#readTo && !this.#reading) void this.#read();
    else this.#tell();
  }

  close(): void {
    this.#closed = true;
  }

  async #read(): Promise<void> {
    this.#reading = true;
    while (this.#readTo < this.head.lastSeq && !this.#closed) {
      try {
        const events = await this.#deps.ledger.read(this.#runId, this.#readTo, READ_ROWS);
        for (const event of events)
          this.#keep(event.seq, ledgerFrame(event, this.#deps.limits.inlineBytesMax));
        this.#tell();
      } catch (error) {
        this.#deps.log.warn(
          { runId: this.#runId, error: String(error) },
          "a feed could not read; it tries again",
        );
        await this.#deps.clock.sleep(this.#deps.limits.storeBackoffMaxMs);
      }
    }
    this.#reading = false;
    this.#tell();
  }

  #keep(seq: number, bytes: Uint8Array): void {
    this.#ring.push({ seq, bytes });
    this.#ringBytes += bytes.byteLength;
    this.#readTo = seq;
    while (
      this.#ring.length > RING_FRAMES_MAX ||
      (this.#ringBytes > RING_BYTES_MAX && this.#ring.length > 1)
    ) {
      this.#ringBytes -= this.#ring.shift()?.bytes.byteLength ?? 0;
    }
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Joins frames up to a size, at least one. */
export function joined(
  frames: readonly Frame[],
  cursor: number,
  bytesMax: number,
): { bytes: Uint8Array; cursor: number } {
  const taken: Uint8Array[] = [];
  let size = 0;
  let reached = cursor;
  for (const { seq, bytes } of frames) {
    if (size > 0 && size + bytes.byteLength > bytesMax) break;
    taken.push(bytes);
    size += bytes.byteLength;
    reached = seq;
  }
  return { bytes: Buffer.concat(taken, size), cursor: reached };
}

interface Shared {
  readonly feed: Promise<RunFeed>;
  readonly stop: () => void;
  watchers: number;
}

export class RunHub {
  readonly #deps: HubDeps;
  readonly #shared = new Map<RunId, Shared>();

  constructor(deps: HubDeps) {
    this.#deps = deps;
  }

  /** Joins the run's reader, or starts it. Call `leave` exactly once when done. */
  async join(runId: RunId): Promise<{ readonly feed: RunFeed; readonly leave: () => void }> {
    const shared = this.#shared.get(runId) ?? this.#start(runId);
    shared.watchers += 1;
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      shared.watchers -= 1;
      if (shared.watchers === 0) shared.stop();
    };
    try {
      return { feed: await shared.feed, leave };
    } catch (error) {
      leave();
      throw error;
    }
  }

  status(): { readonly feeds: number } {
    return { feeds: this.#shared.size };
  }

  /** Watches first and reads the head second, so that nothing falls in between. */
  #start(runId: RunId): Shared {
    let feed: RunFeed | undefined;
    let early: RunHead | undefined;
    const unwatch = this.#deps.wakeups.watch(runId, (head) => {
      if (feed) feed.moved(head);
      else early = head;
    });
    const open = async () => {
      const [head] = await this.#deps.runs.heads([runId]);
      if (!head) throw new Error(`run ${runId} has no row`);
      feed = new RunFeed(this.#deps, head);
      if (early && early.lastSeq > head.lastSeq) feed.moved(early);
      return feed;
    };
    const shared: Shared = {
      feed: open(),
      watchers: 0,
      stop: () => {
        unwatch();
        feed?.close();
        if (this.#shared.get(runId) === shared) this.#shared.delete(runId);
      },
    };
    this.#shared.set(runId, shared);
    return shared;
  }
}
