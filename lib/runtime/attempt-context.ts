/** What the parts of one attempt share. Made by run-attempt, read by run-step and run-call. */
import type { Guard } from "../core/guard.ts";
import type { Lease, RunRecord } from "../core/run-record.ts";
import type { Attempt } from "./attempt.ts";
import type { Boundary } from "./boundary.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { LateOutcomes } from "./late-outcomes.ts";
import type { OpenLedger } from "./open-ledger.ts";

/** What an attempt has from the first read of the ledger on. */
export type Pen = Omit<AttemptContext, "guard">;

export interface AttemptContext {
  readonly deps: RuntimeDeps;
  readonly run: RunRecord;
  readonly lease: Lease;
  readonly attempt: Attempt;
  readonly ledger: OpenLedger;
  readonly late: LateOutcomes;
  readonly guard: Guard;
  /** Milliseconds since 1970 on the database's clock, reckoned from the claim. */
  readonly now: () => number;
  /** Set only for runs that carry a fault plan. */
  readonly boundary: Boundary | undefined;
}
