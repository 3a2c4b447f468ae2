/**
 * The event stream of one watcher: hello, every event after its cursor in order, then whatever follows, until the
 * run is over and delivered. Pull-based: a chunk is made when the connection takes one, so a slow reader costs a
 * cursor and no queue.
 *
 *   hello ──▶ catching up (pages, then ring) ──caughtup──▶ live ──end──▶ closed
 *     └──cursor ahead──▶ reset, closed          any state ──bye──▶ closed
 */
import { randomInt } from "node:crypto";
import { tooManyStreams } from "../core/errors.ts";
import { classifyJournal } from "../core/journal.ts";
import type { Runs } from "../core/ports.ts";
import type { RunRecord } from "../core/run-record.ts";
import { type HubDeps, joined, type RunFeed, RunHub } from "./run-hub.ts";
import { controlFrame, ledgerFrame, PING, retryLine } from "./sse.ts";

export interface StreamDeps extends HubDeps {
  readonly runs: Pick<Runs, "heads" | "listCallEvents">;
  /** Names the build, so that a client of an older one can offer to reload. */
  readonly build: string;
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  // `no-transform` keeps compression off, which would hold events back.
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Rows of one page for a watcher that is far behind. */
const PAGE_ROWS = 200;
const RETRY_MS = 1_000;
const PROTOCOL = 1;

/** All streams of one process. */
export class EventStreams {
  readonly #deps: StreamDeps;
  readonly #hub: RunHub;
  readonly #open = new Set<Watcher>();
  #closing = false;

  constructor(deps: StreamDeps) {
    this.#deps = deps;
    this.#hub = new RunHub(deps);
  }

  /** Answers with a stream. Throws `too-many-streams`. */
  respond(run: RunRecord, cursor: number, signal: AbortSignal): Response {
    const { streamsMax } = this.#deps.limits;
    if (this.#closing || this.#open.size >= streamsMax) throw tooManyStreams(streamsMax);
    const watcher = new Watcher(this.#deps, run, cursor, () => this.#open.delete(watcher));
    this.#open.add(watcher);
    // Before the first await: a client that leaves early must not leave anything behind.
    signal.addEventListener("abort", () => watcher.close(), { once: true });
    if (signal.aborted) watcher.close();
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => watcher.start(controller, this.#hub),
        pull: () => watcher.pull(),
        cancel: () => watcher.close(),
      },
      { highWaterMark: 1 },
    );
    return new Response(stream, { headers: HEADERS });
  }

  status() {
    return { openStreams: this.#open.size, ...this.#hub.status() };
  }

  /** Says goodbye to all, spread out so that they do not all return at once. */
  closeAll(): void {
    this.#closing = true;
    for (const watcher of [...this.#open]) watcher.bye("shutdown", 250 + randomInt(1_000));
  }
}

type Waking = "changed" | "ping" | "closed";

class Watcher {
  readonly #deps: StreamDeps;
  readonly #run: RunRecord;
  readonly #onClosed: () => void;
  readonly #timers: (() => void)[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #feed: RunFeed | undefined;
  #leave: (() => void) | undefined;
  #cursor: number;
  #caughtUp = false;
  #closed = false;
  #lastState = "";
  #wake: ((why: Waking) => void) | undefined;
  #cancelIdle: (() => void) | undefined;

  constructor(deps: StreamDeps, run: RunRecord, cursor: number, onClosed: () => void) {
    this.#deps = deps;
    this.#run = run;
    this.#cursor = cursor;
    this.#onClosed = onClosed;
  }

  async start(controller: ReadableStreamDefaultController<Uint8Array>, hub: RunHub): Promise<void> {
    this.#controller = controller;
    const { limits, clock } = this.#deps;
    const rotateMs = limits.streamRotateMs * (0.8 + randomInt(400) / 1_000);
    this.#timers.push(clock.after(rotateMs, () => this.bye("rotate", 0)));
    try {
      const { feed, leave } = await hub.join(this.#run.id);
      this.#leave = leave;
      if (this.#closed) return leave();
      this.#feed = feed;
      this.#timers.push(feed.onChange(() => this.#wake?.("changed")));
      this.#hello(feed);
    } catch (error) {
      this.#deps.log.warn(
        { runId: this.#run.id, error: String(error) },
        "a stream could not begin",
      );
      this.bye("overload", RETRY_MS);
    }
  }

  #hello({ head }: RunFeed): void {
    const { runId: run, lastSeq, status, attempts: attempt } = head;
    const { build, limits } = this.#deps;
    const hello = {
      protocol: PROTOCOL,
      build,
      run,
      head: lastSeq,
      status,
      attempt,
      pingMs: limits.pingMs,
    };
    this.#send(retryLine(RETRY_MS));
    this.#send(controlFrame("hello", hello));
    if (this.#cursor > lastSeq) {
      this.#send(controlFrame("reset", { reason: "ahead" }));
      this.close();
    }
  }

  /** Called when the connection has room: sends the next chunk, or waits until there is one. */
  async pull(): Promise<void> {
    this.#cancelIdle?.();
    try {
      while (!this.#closed && this.#feed) {
        if (await this.#sendNext(this.#feed)) return;
        const why = await this.#waitForNews();
        if (why === "ping" && !this.#closed) return this.#send(PING);
      }
    } catch (error) {
      this.#deps.log.warn({ runId: this.#run.id, error: String(error) }, "a stream was cut");
      this.bye("overload", RETRY_MS);
    }
  }

  /** Returns whether something was sent. */
  async #sendNext(feed: RunFeed): Promise<boolean> {
    const state = stateOf(feed);
    if (this.#cursor < feed.head.lastSeq) {
      const chunk =
        feed.after(this.#cursor, this.#deps.limits.frameBytesMax) ?? (await this.#page());
      if (this.#closed) return true;
      if (chunk.cursor === this.#cursor) return false;
      this.#cursor = chunk.cursor;
      this.#send(chunk.bytes);
      return true;
    }
    if (!this.#caughtUp) {
      this.#caughtUp = true;
      this.#send(controlFrame("caughtup", { head: this.#cursor }));
      return true;
    }
    if (isOver(feed)) {
      await this.#sendEnd(feed);
      return true;
    }
    if (state.key !== this.#lastState) {
      this.#lastState = state.key;
      this.#send(controlFrame("state", state.data));
      return true;
    }
    return false;
  }

  async #page() {
    const { ledger, limits } = this.#deps;
    const events = await ledger.read(this.#run.id, this.#cursor, PAGE_ROWS);
    const frames = events.map((event) => ({
      seq: event.seq,
      bytes: ledgerFrame(event, limits.inlineBytesMax),
    }));
    return joined(frames, this.#cursor, limits.frameBytesMax);
  }

  async #sendEnd(feed: RunFeed): Promise<void> {
    const { status, lastSeq, runId } = feed.head;
    const calls = (await this.#deps.runs.listCallEvents([runId])).get(runId) ?? [];
    const open = classifyJournal(calls).interrupted.filter(({ kind }) => kind !== "read");
    this.#send(controlFrame("end", { status, lastSeq, openCalls: open.length }));
    this.close();
  }

  #waitForNews(): Promise<Waking> {
    return new Promise((resolve) => {
      const cancelPing = this.#deps.clock.after(this.#deps.limits.pingMs, () =>
        this.#wake?.("ping"),
      );
      this.#wake = (why) => {
        cancelPing();
        this.#wake = undefined;
        resolve(why);
      };
    });
  }

  #send(bytes: Uint8Array): void {
    if (this.#closed) return;
    this.#controller?.enqueue(bytes);
    this.#cancelIdle?.();
    // Taken within this time, or the reader is gone.
    this.#cancelIdle = this.#deps.clock.after(this.#deps.limits.watcherIdleMs, () => this.close());
  }

  bye(reason: "rotate" | "shutdown" | "overload", retryMs: number): void {
    this.#send(controlFrame("bye", { reason, retryMs }));
    this.close();
  }

  /** Frees everything, once, whatever ended the stream. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelIdle?.();
    for (const cancel of this.#timers.splice(0)) cancel();
    this.#leave?.();
    this.#wake?.("closed");
    this.#onClosed();
    try {
      this.#controller?.close();
    } catch {
      // The connection was closed by the other side; there is nothing left to close.
    }
  }
}

function isOver({ head }: RunFeed): boolean {
  return head.status !== "running" && head.status !== "waiting";
}

/** Who has the run now; not history. What is left of a lease changes always: whether something is left is news. */
function stateOf({ head }: RunFeed) {
  const { leaseOwner: owner, fence, leaseLeftMs, nextTryAt } = head;
  const leaseMs = Math.max(0, leaseLeftMs);
  const data = { owner, fence, leaseMs, ...(nextTryAt !== null && { nextTryAt }) };
  return { key: `${owner} ${fence} ${leaseMs > 0} ${nextTryAt}`, data };
}
