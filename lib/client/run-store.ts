/**
 * A run as the screen reads it: folded from its stream, published at most once per turn of the event loop. Plain
 * JavaScript; React reads it through one hook.
 */
import { type ChatState, foldChat, initialChatState } from "../core/chat.ts";
import type { RunEvent } from "../core/event.ts";
import { foldRun, initialRunState, type RunState } from "../core/run.ts";
import { type Browser, thisBrowser } from "./browser.ts";
import { type OwnerFrame, RunStream } from "./run-stream.ts";
import { type ConnectionState, connectionOf, type StreamState } from "./stream-state.ts";

export interface RunSnapshot {
  /** Grows with every change. */
  readonly version: number;
  readonly connection: ConnectionState;
  readonly run: RunState;
  readonly chat: ChatState;
  /** Every event that was applied, in order. Grows in place: read it with `version`. */
  readonly events: readonly RunEvent[];
  /** Who has the run, as last told. */
  readonly owner: OwnerFrame | null;
  /** A newer version of the app answers; reloading is offered, never forced. */
  readonly isOutdated: boolean;
}

export interface RunStoreOptions {
  readonly runId: string;
  /** What is already known: the run's first events, in order from 1. */
  readonly events?: readonly RunEvent[];
  /** seq of the run's newest event, if known. */
  readonly head?: number;
  readonly browser?: Browser;
}

export class RunStore {
  readonly #options: RunStoreOptions;
  readonly #listeners = new Set<() => void>();
  readonly #events: RunEvent[] = [];
  #run: RunState = initialRunState();
  #chat: ChatState = initialChatState();
  #owner: OwnerFrame | null = null;
  #stream: RunStream | undefined;
  #state: StreamState | undefined;
  #browser: Browser | undefined;
  #pausedAt: number | null = null;
  #snapshot: RunSnapshot;
  #isPublishing = false;

  constructor(options: RunStoreOptions) {
    this.#options = options;
    for (const event of options.events ?? []) this.#fold(event);
    this.#snapshot = this.#look(1);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): RunSnapshot => this.#snapshot;

  start(): void {
    if (this.#stream) return;
    const browser = this.#options.browser ?? thisBrowser();
    this.#browser = browser;
    this.#stream = new RunStream({
      runId: this.#options.runId,
      browser,
      lastSeq: this.#run.lastSeq,
      head: this.#options.head ?? 0,
      onEvents: (events) => this.#take(events),
      onReset: () => this.#reset(),
      onOwner: (owner) => {
        this.#owner = owner;
        this.#publishSoon();
      },
      onState: (state) => {
        this.#state = state;
        this.#publishSoon();
      },
    });
    this.#stream.start();
  }

  /** Keeps the screen still; events go on being received. */
  pause(): void {
    this.#pausedAt = this.#run.lastSeq;
    this.#publish();
  }

  goLive(): void {
    this.#pausedAt = null;
    this.#publish();
  }

  /** Connects now: after a click, or after this page resumed an ended run. */
  retryNow(): void {
    this.#stream?.retryNow();
  }

  close(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  #take(events: readonly RunEvent[]): void {
    for (const event of events) this.#fold(event);
    this.#publishSoon();
  }

  #fold(event: RunEvent): void {
    this.#events.push(event);
    this.#run = foldRun(this.#run, event);
    this.#chat = foldChat(this.#chat, event);
  }

  #reset(): void {
    this.#events.length = 0;
    this.#run = initialRunState();
    this.#chat = initialChatState();
  }

  /** On a microtask and not with a frame: a hidden tab has no frames and keeps up all the same. */
  #publishSoon(): void {
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    queueMicrotask(() => this.#publish());
  }

  #publish(): void {
    this.#isPublishing = false;
    this.#snapshot = this.#look(this.#snapshot.version + 1);
    for (const listener of [...this.#listeners]) listener();
  }

  #look(version: number): RunSnapshot {
    const isPaused = this.#pausedAt !== null;
    const before = isPaused ? this.#snapshot : undefined;
    return {
      version,
      connection: this.#connection(),
      run: before?.run ?? this.#run,
      chat: before?.chat ?? this.#chat,
      events: this.#events,
      owner: this.#owner,
      isOutdated: this.#state?.isOutdated ?? false,
    };
  }

  #connection(): ConnectionState {
    if (this.#pausedAt !== null) {
      return { kind: "paused", waiting: this.#run.lastSeq - this.#pausedAt };
    }
    if (!this.#state || !this.#browser) return { kind: "connecting" };
    return connectionOf(this.#state, this.#browser.now());
  }
}
