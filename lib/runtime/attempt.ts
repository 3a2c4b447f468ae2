/**
 * How an attempt ends from outside its loop. One object per attempt, with two signals: the model's, aborted as
 * soon as an end is asked for, and the bodies', aborted when the grace is over or at once for a hard cut.
 *
 *   going ──stop, cancel──▶ ending (grace) ──grace over──▶ ending (aborted)
 *     ├───────cut, lose──────────────────────────────────▶ ending (aborted)
 *     └───────die──▶ dead: nothing is written any more
 *
 * The first reason stays, except that losing the run overrides every other.
 */
import type { CutReason } from "../core/event.ts";
import type { RunId } from "../core/ids.ts";
import type { Clock } from "../core/ports.ts";
import type { Fault } from "../core/run-record.ts";
import type { AttemptControl } from "./boundary.ts";

export type Ending =
  | { readonly kind: "cut"; readonly reason: CutReason; readonly detail: string }
  | { readonly kind: "cancel" }
  /** Another owner has the run, or it is closed: this one writes nothing more. */
  | { readonly kind: "lost"; readonly error: unknown };

const STOP_DETAIL = {
  soft_timeout: "The attempt used up its time and handed over.",
  shutdown: "The server is shutting down.",
} as const;

export class Attempt implements AttemptControl {
  readonly runId: RunId;
  readonly attempt: number;
  readonly faults: readonly Fault[];
  readonly #model = new AbortController();
  readonly #bodies = new AbortController();
  readonly #clock: Clock;
  readonly #graceMs: number;
  #ending: Ending | undefined;
  #dead = false;
  #cancelGrace: (() => void) | undefined;
  #onDeath: (() => void)[] = [];

  constructor(
    place: { readonly runId: RunId; readonly attempt: number; readonly faults: readonly Fault[] },
    time: { readonly clock: Clock; readonly graceMs: number },
  ) {
    this.runId = place.runId;
    this.attempt = place.attempt;
    this.faults = place.faults;
    this.#clock = time.clock;
    this.#graceMs = time.graceMs;
  }

  /** Why the attempt has to end, once it has to. Read it before anything new is begun. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Aborts the model's stream. */
  get modelSignal(): AbortSignal {
    return this.#model.signal;
  }

  /** Aborts open bodies. */
  get bodySignal(): AbortSignal {
    return this.#bodies.signal;
  }

  stop(reason: "soft_timeout" | "shutdown"): void {
    this.#end({ kind: "cut", reason, detail: STOP_DETAIL[reason] });
    this.#startGrace();
  }

  cancel(): void {
    this.#end({ kind: "cancel" });
    this.#startGrace();
  }

  cut(reason: CutReason, detail: string): void {
    this.#end({ kind: "cut", reason, detail });
    this.#abortAll();
  }

  lose(error: unknown): void {
    this.#ending = { kind: "lost", error };
    this.#abortAll();
  }

  die(): void {
    this.#dead = true;
    this.#abortAll();
    for (const told of this.#onDeath.splice(0)) told();
  }

  /** Calls `told` when the owner dies; used by what would write on its behalf. */
  onDeath(told: () => void): void {
    this.#onDeath.push(told);
  }

  /** Stops the grace timer once the loop has ended. */
  dispose(): void {
    this.#cancelGrace?.();
  }

  #end(ending: Ending): void {
    this.#ending ??= ending;
    this.#model.abort();
  }

  #abortAll(): void {
    this.#cancelGrace?.();
    this.#model.abort();
    this.#bodies.abort();
  }

  #startGrace(): void {
    if (this.#cancelGrace || this.#bodies.signal.aborted) return;
    this.#cancelGrace = this.#clock.after(this.#graceMs, () => this.#bodies.abort());
  }
}
