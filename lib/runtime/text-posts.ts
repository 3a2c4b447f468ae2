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

  /** Posts what was collected. Called before everything that has to stand behind the text. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#text === "") return;
    this.#post([{ type: this.#kind, attempt: this.#attempt, text: this.#text }]);
    this.#text = "";
  }
}
