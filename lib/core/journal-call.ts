/** One call while the journal is being read: what its start said, and what became of it. */
import type { CallKind } from "./event.ts";

export type CallClass =
  /** Started, outcome unknown. */
  | "open"
  | "completed"
  /** Settled as not happened; may run under its first key. */
  | "absent"
  /** Known not to have happened, denied, or used up: in no list. */
  | "closed"
  /** Cleared; a later done by its id is still proof. */
  | "dropped";

export interface JournalCall {
  readonly tool: string;
  /** As the model sent it. */
  readonly input: unknown;
  /** By which inputs are compared; null matches nothing. */
  readonly inputText: string | null;
  readonly signature: string | null;
  /** 0-based among the run's starts. */
  readonly order: number;
  readonly startSeq: number;
  readonly attempt: number;
  readonly step: number;
  readonly callId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly kind: CallKind | undefined;
  class: CallClass;
  result: unknown;
  /** Set once a person or a verifier has answered for it. */
  settled: "landed" | "absent" | "denied" | undefined;
  settledBy: "verify" | "person" | undefined;
}

/** A first-in-first-out queue of calls of one class; calls that left the class are passed over. */
export class CallQueue {
  readonly #calls: JournalCall[] = [];
  #head = 0;

  add(call: JournalCall): void {
    this.#calls.push(call);
  }

  /** The oldest call that is still open. */
  first(): JournalCall | undefined {
    while (this.#head < this.#calls.length && this.#calls[this.#head]?.class !== "open") {
      this.#head += 1;
    }
    return this.#calls[this.#head];
  }
}

/** Queues by name, made when first asked for. */
export class CallQueues {
  readonly #byName = new Map<string, CallQueue>();

  of(...name: readonly string[]): CallQueue {
    const key = JSON.stringify(name);
    const known = this.#byName.get(key);
    if (known) return known;
    const made = new CallQueue();
    this.#byName.set(key, made);
    return made;
  }
}
