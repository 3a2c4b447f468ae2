/** The row of a run as its readers see it. Status and terminal event commit together. */
import type { OwnerId, RunId, ThreadId } from "./ids.ts";
import type { RunInput } from "./event.ts";

export type RunStatus = "running" | "waiting" | "done" | "failed" | "cancelled";

/** Which model answers: the demo's own with a temper, or a provider's. */
export type ModelChoice =
  { readonly temper: Temper } | { readonly provider: string; readonly model: string };

/** How the demo model behaves after a resume. Source: DESIGN, "The demo". */
export type Temper = "heeds" | "forgets" | "rewords" | "reorders" | "repeats";

export const TEMPERS = ["heeds", "forgets", "rewords", "reorders", "repeats"] as const;

/** One planned cut. Only where `LAB=1`. */
export interface Fault {
  readonly at: FaultPoint;
  readonly as: FaultKind;
  readonly action?: string | undefined;
  /** Default 1. */
  readonly attempt?: number | undefined;
  /** The n-th time the point is reached in that attempt; default 1. */
  readonly nth?: number | undefined;
}

export const FAULT_POINTS = [
  "before_start",
  "after_start",
  "in_body",
  "after_effect",
  "after_done",
  "in_text",
  "in_arguments",
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

export const FAULT_KINDS = [
  "soft_timeout",
  "gateway_timeout",
  "transport_error",
  "lease_lost",
  "process_lost",
  "process_killed",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface RunRecord {
  readonly id: RunId;
  readonly threadId: ThreadId;
  readonly ownerId: OwnerId;
  readonly status: RunStatus;
  readonly input: RunInput;
  readonly model: ModelChoice;
  readonly faults: readonly Fault[];
  /** Number of the last attempt that started; 0 before the first. */
  readonly attempts: number;
  readonly lastSeq: number;
  readonly fence: number;
  /** The process that has the lease, or null. */
  readonly leaseOwner: string | null;
  /** Milliseconds the lease still lasts on the database's clock; 0 or less = expired. */
  readonly leaseLeftMs: number;
  /** ISO time before which nobody claims the run, or null. */
  readonly nextTryAt: string | null;
  readonly cancelRequestedAt: string | null;
  /** For a failed run: whether Resume goes on with it. */
  readonly resumable: boolean;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** The right to write to a run, until somebody else takes it. */
export interface Lease {
  readonly runId: RunId;
  readonly owner: string;
  readonly fence: number;
}

export interface ThreadRecord {
  readonly id: ThreadId;
  readonly ownerId: OwnerId;
  /** First words of the first message, or empty. */
  readonly title: string;
  readonly createdAt: string;
  /** The run that is running or waiting, or null. */
  readonly activeRunId: RunId | null;
  readonly lastRunStatus: RunStatus | null;
}

/** Something a write did to the demo world. */
export interface Effect {
  readonly id: string;
  readonly runId: string;
  readonly action: string;
  readonly input: unknown;
  readonly idempotencyKey: string;
  readonly at: string;
}
