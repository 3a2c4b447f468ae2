/**
 * Named places in an attempt where a fault plan may act. A dependency that a normal server does not have:
 * without it the places cost one comparison.
 */
import type { Fault, FaultPoint } from "../core/run-record.ts";
import type { RunId } from "../core/ids.ts";

export interface BoundaryPlace {
  readonly point: FaultPoint;
  readonly runId: RunId;
  readonly attempt: number;
  /** The action at a point around a call; absent in the model's stream. */
  readonly action?: string;
  readonly callId?: string;
}

/**
 * Awaited at each place. In the model's stream a throw breaks the stream with that error; at other places it
 * must not throw. It may never return: then the owner is dead.
 */
export type Boundary = (place: BoundaryPlace) => Promise<void>;

/** How to end a live attempt from outside its loop: shutdown, "cut now", fault plans. */
export interface AttemptControl {
  readonly runId: RunId;
  readonly attempt: number;
  readonly faults: readonly Fault[];
  /** Ends the attempt in order: no new body is entered, open ones get the grace to store their outcome. */
  stop(reason: "soft_timeout" | "shutdown"): void;
  /** Ends the attempt at once, as a broken connection would: signal aborted, outcomes unknown. */
  cut(reason: "gateway_timeout" | "transport_error", detail: string): void;
  /** Makes this owner dead to the store: nothing more is written or renewed by it; the lease runs out. */
  die(): void;
}
