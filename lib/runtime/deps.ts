/**
 * What the runtime needs, passed in once by the composition root. The runtime knows ports, never PostgreSQL and
 * never HTTP.
 */
import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { Limits } from "../core/limits.ts";
import type { Clock, Ids, Leases, Ledger, Log, Runs } from "../core/ports.ts";
import type { RunRecord } from "../core/run-record.ts";
import type { ActionRegistry } from "./action.ts";
import type { Boundary } from "./boundary.ts";

export interface RuntimeDeps {
  readonly ledger: Ledger;
  readonly leases: Leases;
  readonly runs: Runs;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly limits: Limits;
  readonly actions: ActionRegistry;
  /** The model that answers this run. */
  readonly modelFor: (run: RunRecord) => LanguageModelV3;
  /** System text of the agent. */
  readonly system: string;
  /** What happens to an interrupted write that declares nothing and is asked for again. */
  readonly unknownWrites: "hold" | "model";
  /** Name of this process as an owner of leases; new for each start of the process. */
  readonly owner: string;
  readonly boundary?: Boundary | undefined;
}
