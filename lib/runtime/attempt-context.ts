/** What the parts of one attempt share. Made by run-attempt, read by run-step and run-call. */
import type { Guard } from "../core/guard.ts";
import type { Lease, RunRecord } from "../core/run-record.ts";
import type { Attempt } from "./attempt.ts";
import type { Boundary } from "./boundary.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { LateOutcomes } from "./late-outcomes.ts";
import type { OpenLedger } from "./open-ledger.ts";

export interface AttemptContext {
  readonly deps: RuntimeDeps;
  readonly run: RunRecord;
  readonly lease: Lease;
  readonly attempt: Attempt;
  readonly ledger: OpenLedger;
  readonly late: LateOutcomes;
  readonly guard: Guard;
  /** Set only for runs that carry a fault plan. */
  readonly boundary: Boundary | undefined;
}
