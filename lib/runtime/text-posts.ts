/** Collects streamed text into rows of the ledger: at most one row per `textFlushMs`, nothing lost, order kept. */
import type { NewEvent } from "../core/event.ts";
import type { Clock } from "../core/ports.ts";

type Kind = "text" | "reasoning";

export class TextPosts {
  #kind: Kind = "text";
  #text = "";
  #cancelTimer: (() => void) | undefined;
  readonly #post: (events: readonly NewEvent[]) => void;
  readonly #attempt: number;
  readonly #time: { readonly clock: Clock; readonly flushMs: number };

  constructor(
    attempt: number,
    time: { readonly clock: Clock; readonly flushMs: number },
    post: (events: readonly NewEvent[]) => void,
  ) {
    this.#attempt = attempt;
    this.#time = time;
    this.#post = post;
  }

  add(kind: Kind, text: string): void {
    if (text === "") return;
    if (kind !== this.#kind) this.flush();
    this.#kind = kind;
    this.#text += text;
    this.#cancelTimer ??= this.#time.clock.after(this.#time.flushMs, () => this.flush());
  }

  /** Posts what was collected. */
  flush(): void {
    const collected = this.take();
    if (collected.length > 0) this.#post(collected);
  }

  /** Hands over what was collected, for the commit of what has to stand behind it. */
  take(): readonly NewEvent[] {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#text === "") return [];
    const collected: NewEvent = { type: this.#kind, attempt: this.#attempt, text: this.#text };
    this.#text = "";
    return [collected];
  }
}
