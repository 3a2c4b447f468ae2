/**
 * Follows one run's events without a framework: each event once and in order, through any number of reconnects.
 * A shell over the pure machine of stream-state.ts. A watchdog on silence is the base; browser events make it
 * faster. Every connection has a generation, and what an older one says is ignored.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { RunEvent } from "../core/event.ts";
import type { Browser, Waking } from "./browser.ts";
import { problemOf, Refused } from "./refused.ts";
import {
  initialStreamState,
  isSilent,
  nextStreamState,
  retryDelayMs,
  SHORT_IN_A_ROW_MAX,
  type StreamInput,
  type StreamState,
} from "./stream-state.ts";

export interface RunStreamOptions {
  readonly runId: string;
  readonly browser: Browser;
  /** Where to go on from, and the newest seq known. */
  readonly lastSeq: number;
  readonly head: number;
  /** Events in order, none twice, none left out. */
  readonly onEvents: (events: readonly RunEvent[]) => void;
  /** The run has to be read anew from its first event. */
  readonly onReset: () => void;
  readonly onState: (state: StreamState) => void;
  /** Who has the run now; may be lost. */
  readonly onOwner: (owner: OwnerFrame) => void;
}

export interface OwnerFrame {
  readonly owner: string | null;
  readonly fence: number;
  readonly leaseMs: number;
  readonly nextTryAt?: string;
}

/** Gaps above this are filled by pages. */
const GAP_EVENTS = 500;
const PAGE_EVENTS = 1_000;
/** Source: STREAM, "Fallback" and "Frames". */
const POLL_MS = 2_000;
const TRY_STREAM_AGAIN_MS = 120_000;
const HIDDEN_CLOSE_MS = 30_000;
const ENDED_CHECK_MS = 20_000;
const HELLO_MS = 5_000;

interface Page {
  readonly events: readonly RunEvent[];
  readonly next: number | null;
  readonly head: number;
  readonly ended: boolean;
}

export class RunStream {
  readonly #options: RunStreamOptions;
  #state: StreamState;
  #generation = 0;
  #closed = false;
  #abort: AbortController | undefined;
  #cancelTimer: (() => void) | undefined;
  #cancelWatch: (() => void) | undefined;
  #cancelHidden: (() => void) | undefined;
  #stopWaking: (() => void) | undefined;
  #releaseSlot: (() => void) | undefined;
  #slowSince: number | undefined;
  /** Closed until the page is visible again; the state is kept. */
  #isResting = false;

  constructor(options: RunStreamOptions) {
    this.#options = options;
    this.#state = initialStreamState(options.lastSeq, options.head, options.browser.now());
  }

  get state(): StreamState {
    return this.#state;
  }

  start(): void {
    this.#stopWaking = this.#options.browser.onWake((why) => this.#woken(why));
    this.#watch();
    this.#restIfHidden();
    this.#reconnect();
  }

  /** Tries now, whatever the pause. */
  retryNow(): void {
    if (!this.#closed) this.#reconnect();
  }

  close(): void {
    this.#closed = true;
    this.#drop();
    this.#stopWaking?.();
    this.#cancelWatch?.();
    this.#cancelHidden?.();
  }

  #put(input: StreamInput): void {
    this.#state = nextStreamState(this.#state, input, this.#options.browser.now());
    this.#options.onState(this.#state);
  }

  /** Ends the present connection, if there is one; what it still says is ignored. */
  #drop(): void {
    this.#generation += 1;
    this.#cancelTimer?.();
    this.#abort?.abort();
    this.#releaseSlot?.();
    this.#releaseSlot = undefined;
  }

  #reconnect(): void {
    this.#drop();
    this.#isResting = false;
    const generation = this.#generation;
    void this.#connect(generation);
  }

  #later(ms: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.browser.after(ms, () => this.#reconnect());
  }

  async #connect(generation: number): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.#put({ is: "connect" });
    try {
      if (this.#state.head - this.#state.lastSeq > GAP_EVENTS)
        await this.#readPages(generation, abort.signal);
      if (await this.#mayStream(generation)) await this.#streamOnce(generation, abort.signal);
      else await this.#poll(generation, abort.signal);
    } catch (error) {
      if (generation === this.#generation) this.#failed(error);
    }
  }

  /** Whether this page may hold a stream now: it works, and a slot is free. */
  async #mayStream(generation: number): Promise<boolean> {
    const { browser } = this.#options;
    if (this.#slowSince !== undefined) {
      if (browser.now() - this.#slowSince < TRY_STREAM_AGAIN_MS) return false;
      this.#slowSince = undefined;
    }
    const release = await browser.slots.take(() => this.#rest());
    if (release && generation !== this.#generation) release();
    else this.#releaseSlot = release;
    return release !== undefined;
  }

  async #streamOnce(generation: number, signal: AbortSignal): Promise<void> {
    const response = await this.#request("text/event-stream", "", signal);
    if (generation !== this.#generation) return;
    if (response.status === 204) return this.#ended(0);
    const frames: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (frame) => void frames.push(frame) });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) throw new Error("the answer has no body");
    const cancelHello = this.#options.browser.after(HELLO_MS, () => {
      if (this.#state.connectedAt === null && generation === this.#generation) this.#goSlow();
    });
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (generation !== this.#generation) return;
        if (done) break;
        this.#put({ is: "heard" });
        parser.feed(value);
        if (await this.#take(frames.splice(0), generation, signal)) return;
      }
    } finally {
      cancelHello();
    }
    this.#lost(undefined);
  }

  /** Applies the frames of one chunk as one batch. Returns whether the stream is over. */
  async #take(
    frames: readonly EventSourceMessage[],
    generation: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    let batch: RunEvent[] = [];
    const flush = () => {
      if (batch.length > 0) this.#apply(batch);
      batch = [];
    };
    for (const { event, data } of frames) {
      const body = JSON.parse(data) as never;
      if (event === "ledger") {
        batch.push(body);
        continue;
      }
      flush();
      if (this.#control(event ?? "", body)) return true;
    }
    const expected = this.#state.lastSeq + 1;
    const first = batch.find(({ seq }) => seq >= expected);
    // A hole is repaired from the table, never skipped.
    if (first && first.seq > expected) await this.#readPages(generation, signal);
    if (generation !== this.#generation) return true;
    flush();
    return false;
  }

  #control(event: string, body: Record<string, never>): boolean {
    switch (event) {
      case "hello":
        this.#put({
          is: "hello",
          ...(body as unknown as { head: number; pingMs: number; build: string }),
        });
        return false;
      case "caughtup":
        this.#put({ is: "caughtup", ...(body as unknown as { head: number }) });
        return false;
      case "state":
        this.#options.onOwner(body as unknown as OwnerFrame);
        return false;
      case "end":
        this.#ended(Number(body["openCalls"] ?? 0));
        return true;
      case "bye":
        this.#put({ is: "bye", retryMs: Number(body["retryMs"] ?? 0) });
        this.#later(retryDelayMs(this.#state, this.#options.browser.random()));
        return true;
      case "reset":
        this.#put({ is: "reset" });
        this.#options.onReset();
        this.#later(0);
        return true;
      default:
        return false;
    }
  }

  /** seq ≤ last: dropped. seq = last + 1: applied. Beyond: kept for the page that fills the hole. */
  #apply(events: readonly RunEvent[]): void {
    const fresh: RunEvent[] = [];
    let { lastSeq } = this.#state;
    for (const event of events) {
      if (event.seq !== lastSeq + 1) continue;
      fresh.push(event);
      lastSeq = event.seq;
    }
    if (fresh.length === 0) return;
    this.#put({ is: "applied", seq: lastSeq });
    this.#options.onEvents(fresh);
  }

  /** Reads pages up to the head. */
  async #readPages(generation: number, signal: AbortSignal): Promise<Page> {
    for (;;) {
      const page = await this.#page(signal);
      if (generation !== this.#generation) return page;
      this.#apply(page.events);
      if (page.next === null) return page;
    }
  }

  async #page(signal: AbortSignal): Promise<Page> {
    const response = await this.#request("application/json", `&limit=${PAGE_EVENTS}`, signal);
    return (await response.json()) as Page;
  }

  async #poll(generation: number, signal: AbortSignal): Promise<void> {
    const page = await this.#readPages(generation, signal);
    if (generation !== this.#generation) return;
    if (page.ended) return this.#ended(0);
    this.#put({ is: "slow" });
    this.#later(POLL_MS);
  }

  async #request(accept: string, more: string, signal: AbortSignal): Promise<Response> {
    const { runId, browser } = this.#options;
    const url = `/api/runs/${runId}/events?after=${this.#state.lastSeq}${more}`;
    const response = await browser.fetch(url, { headers: { accept }, signal, cache: "no-store" });
    if (response.ok) return response;
    throw new Refused(response, await problemOf(response));
  }

  #failed(error: unknown): void {
    if (error instanceof Refused && [401, 403, 404].includes(error.status)) {
      this.#put({ is: "refused", code: error.code, message: error.message });
      return;
    }
    this.#lost(error instanceof Refused ? error.retryAfterMs : undefined);
  }

  #lost(retryMs: number | undefined): void {
    this.#releaseSlot?.();
    this.#releaseSlot = undefined;
    const { browser } = this.#options;
    if (browser.isOffline()) return this.#put({ is: "offline" });
    this.#put({ is: "lost", ...(retryMs !== undefined && { retryMs }) });
    if (this.#state.shortInARow >= SHORT_IN_A_ROW_MAX) return this.#goSlow();
    this.#later(retryDelayMs(this.#state, browser.random()));
  }

  /** Something between us and the server holds the stream back: pages work everywhere. */
  #goSlow(): void {
    this.#slowSince = this.#options.browser.now();
    this.#put({ is: "slow" });
    this.#reconnect();
  }

  /** An ended run may still get a late outcome, and a failed one may be resumed by somebody else. */
  #ended(openCalls: number): void {
    this.#drop();
    this.#put({ is: "end", openCalls });
    if (openCalls > 0) this.#checkEndedLater();
  }

  #checkEndedLater(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.browser.after(ENDED_CHECK_MS, () => void this.#checkEnded());
  }

  async #checkEnded(): Promise<void> {
    const generation = this.#generation;
    const { openCalls } = this.#state;
    try {
      const page = await this.#readPages(generation, new AbortController().signal);
      if (generation !== this.#generation) return;
      if (!page.ended) return this.#reconnect();
    } catch {
      // The next look tries again; the run has ended and nothing is missing that was shown.
    }
    if (openCalls > 0 && generation === this.#generation) this.#checkEndedLater();
  }

  #watch(): void {
    const { browser } = this.#options;
    this.#cancelWatch = browser.after(Math.max(100, this.#state.pingMs / 2), () => {
      const isOpen = this.#state.phase === "live" || this.#state.phase === "replaying";
      if (isOpen && !this.#isResting && isSilent(this.#state, browser.now())) {
        this.#drop();
        this.#lost(0);
      } else this.#options.onState(this.#state);
      if (!this.#closed) this.#watch();
    });
  }

  /** Hidden for long: gives the connection back. Visible: takes back what was planned. */
  #restIfHidden(): void {
    const { browser } = this.#options;
    this.#cancelHidden?.();
    if (browser.isHidden()) this.#cancelHidden = browser.after(HIDDEN_CLOSE_MS, () => this.#rest());
  }

  /** Also at once when a visible page wants the slot of this hidden one: polling would take it back. */
  #rest(): void {
    this.#isResting = true;
    this.#drop();
  }

  #woken(why: Waking): void {
    const { browser } = this.#options;
    const { phase } = this.#state;
    if (this.#closed || phase === "stopped") return;
    // A connection rarely outlives a stay in the back/forward cache, and nothing reports its end.
    if (why === "restored") this.#drop();
    this.#restIfHidden();
    if (browser.isHidden()) return;
    if (browser.isOffline()) {
      this.#drop();
      return this.#put({ is: "offline" });
    }
    if (phase === "ended") return void this.#checkEnded();
    const isOpen =
      (phase === "live" || phase === "replaying") && this.#abort?.signal.aborted === false;
    if (isOpen && !isSilent(this.#state, browser.now())) return;
    if (phase === "offline") this.#put({ is: "online" });
    this.#reconnect();
  }
}
