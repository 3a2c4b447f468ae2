/**
 * Where a test gets between a caller and the in-memory store: counts statements, makes them fail as a lost
 * connection does, or holds one until the test lets it go. Part of the store's test double only; a shipped store
 * has nothing like it.
 */
import { storeUnavailable } from "../core/errors.ts";
import type { Effects, Leases, Ledger, Runs } from "../core/ports.ts";
import { createGate } from "./gate.ts";

export type Statement = keyof Ledger | keyof Leases | keyof Runs | `effects.${keyof Effects}`;

/** Before the commit nothing was stored; after it only the acknowledgement is lost. */
export type Side = "before" | "after";

export interface Pause {
  /** Resolves when a caller has arrived. */
  readonly reached: Promise<void>;
  /** Lets the caller go on. */
  release(): void;
}

export interface StoreGates {
  /** The next `times` statements of that name throw `store-unavailable`. */
  fail(statement: Statement, times: number, side: Side): void;
  /** Every statement throws `store-unavailable` before its commit until `restore` is called. */
  disconnect(): void;
  restore(): void;
  /** Holds the next statement of that name; several pauses of one place are used in order. */
  pause(statement: Statement, side: Side): Pause;
  /** How often a statement was sent; of all of them without a name. */
  count(statement?: Statement): number;
}

export class Gates implements StoreGates {
  readonly #counts = new Map<Statement, number>();
  readonly #failures = new Map<string, number>();
  readonly #pauses = new Map<string, (() => Promise<void>)[]>();
  #connected = true;

  fail(statement: Statement, times: number, side: Side): void {
    this.#failures.set(placeOf(statement, side), times);
  }

  disconnect(): void {
    this.#connected = false;
  }

  restore(): void {
    this.#connected = true;
  }

  pause(statement: Statement, side: Side): Pause {
    const arrived = createGate();
    const released = createGate();
    const place = placeOf(statement, side);
    const wait = () => {
      arrived.open();
      return released.wait();
    };
    this.#pauses.set(place, [...(this.#pauses.get(place) ?? []), wait]);
    return { reached: arrived.wait(), release: released.open };
  }

  count(statement?: Statement): number {
    if (statement !== undefined) return this.#counts.get(statement) ?? 0;
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** What every statement passes on its way in and out. */
  async pass(statement: Statement, side: Side): Promise<void> {
    if (side === "before") this.#counts.set(statement, this.count(statement) + 1);
    const place = placeOf(statement, side);
    await this.#pauses.get(place)?.shift()?.();
    const left = this.#failures.get(place) ?? 0;
    if (left > 0) this.#failures.set(place, left - 1);
    const away = side === "before" && !this.#connected;
    if (left > 0 || away) throw storeUnavailable(`${statement} failed ${side} its commit`);
  }
}

function placeOf(statement: Statement, side: Side): string {
  return `${side} ${statement}`;
}
