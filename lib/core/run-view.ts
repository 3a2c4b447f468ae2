/**
 * What a run looks like to a reader: the shapes that run.ts folds from the ledger. Plain JSON, so that the server
 * can hand a state to the browser and the browser goes on folding from it.
 * A row ("intent") is one thing the model wants done: its first call and every repeat of it.
 */
import type {
  AttemptEndReason,
  AttemptReason,
  CallKind,
  Check,
  HeldQuestion,
  Outcome,
  Resolution,
  RunInput,
  Usage,
} from "./event.ts";
import type { FieldDifference } from "./near.ts";
import type { RunStatus } from "./run-record.ts";

/** What is known about a call. Derived: no event says "interrupted". */
export type CallState =
  /** Asked for; nothing was decided yet, or its attempt ended first. */
  | "not_started"
  | "running"
  | "completed"
  /** Known not to have happened. */
  | "failed"
  /** A started write without a proven outcome, whose attempt has ended. */
  | "interrupted"
  /** A repeat that was answered from the journal. */
  | "blocked"
  /** Waits for a person, or behind a call that does. */
  | "held"
  | "verifying"
  | "settled_landed"
  | "settled_absent"
  /** A read that was cut off, or a start that was cleared: nothing to find out about it. */
  | "discarded";

/** How an open call was closed other than by its own outcome in time. */
export interface SettlementView {
  /** `late`: the outcome itself arrived after a call had been held because of it. */
  readonly by: "person" | "verify" | "late";
  readonly outcome: Resolution;
  readonly seq: number;
  readonly at: string;
  readonly reason?: string;
  readonly evidence?: unknown;
}

/** An outcome that says something else than the settlement before it. It changes no state. */
export interface ContradictionView {
  readonly seq: number;
  readonly at: string;
  readonly outcome: Outcome;
  readonly result: unknown;
}

export interface CallView {
  /** Unique in the run. Made from the seq for ledgers without call ids. */
  readonly callId: string;
  /** Key of its row. */
  readonly intent: string;
  readonly tool: string;
  /** As the model sent it. */
  readonly input: unknown;
  /** null until an event tells. */
  readonly kind: CallKind | null;
  /** The attempt that asked for it. */
  readonly attempt: number;
  /** The attempt that started or blocked it: another one, when it had been held. */
  readonly decidedAttempt?: number;
  readonly step: number | null;
  readonly state: CallState;
  readonly plannedSeq?: number;
  readonly heldSeq?: number;
  readonly startSeq?: number;
  readonly blockedSeq?: number;
  readonly doneSeq?: number;
  readonly resolvedSeq?: number;
  readonly startedAt?: string;
  /** When its body ended, or its attempt did. */
  readonly endedAt?: string;
  /** As its done said, if one came. */
  readonly outcome?: Outcome;
  readonly result?: unknown;
  readonly signature?: string | null;
  readonly idempotencyKey?: string;
  /** seq of the start whose entry it claimed. */
  readonly originalSeq?: number;
  /** seq of a start of the same tool that was close and did not match. */
  readonly nearOf?: number;
  /** How it differs from that start, where it is nearly the same. */
  readonly differences?: readonly FieldDifference[];
  /** Fields that differ from the original's and do not count for the action's identity. */
  readonly ignored?: readonly string[];
  /** callId of the held call it waits behind. */
  readonly behind?: string;
  /** What a held call waits for. */
  readonly question?: HeldQuestion;
  /** What a verifier last answered about it, or about the start it asks for. */
  readonly check?: Check;
  /** Why the guard decided as it did; for a held call the question. */
  readonly reason?: string;
  /** Its start names no call: it is told apart by its place only. */
  readonly unnamed?: boolean;
  /** Its outcome was stored after its attempt had ended. */
  readonly late?: boolean;
  /** callId of the repeat under the same key whose outcome proves this one too. */
  readonly provenBy?: string;
  readonly settlement?: SettlementView;
  readonly contradiction?: ContradictionView;
}

/** One row: the first call and its repeats, in the order they were asked for. */
export interface IntentView {
  /** callId of its first call. */
  readonly key: string;
  readonly tool: string;
  readonly kind: CallKind | null;
  readonly input: unknown;
  /** What is known about the intent as a whole: proven once is proven, whatever became of the repeats. */
  readonly state: CallState;
  readonly calls: readonly CallView[];
}

export interface StepView {
  readonly step: number;
  readonly model: string;
  readonly startSeq: number;
  readonly startedAt: string;
  readonly textFromSeq?: number;
  readonly textToSeq?: number;
  readonly endSeq?: number;
  readonly endedAt?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
}

/** Why an attempt is over: a cut, a hold, or the end of the run. */
export type AttemptOver = AttemptEndReason | "waiting" | "done" | "failed" | "cancelled";

export interface AttemptView {
  readonly attempt: number;
  readonly owner: string;
  readonly fence: number;
  readonly reason: AttemptReason;
  /** The exact note given to the model, or null. */
  readonly note: string | null;
  readonly prefix?: string;
  readonly warning?: string;
  readonly startSeq: number;
  readonly startedAt: string;
  /** The last thing its owner stored before the end. */
  readonly lastSeq: number;
  readonly lastAt: string;
  readonly endSeq?: number;
  readonly endedAt?: string;
  readonly endReason?: AttemptOver;
  readonly endDetail?: string;
  readonly steps: readonly StepView[];
}

export interface Counts {
  /** Calls the model asked for that are not known to be reads. */
  readonly asked: number;
  /** Writes proven to have happened. */
  readonly effects: number;
  /** Repeats answered from the journal. */
  readonly prevented: number;
  /** Writes whose attempt has ended without a proven outcome and that nobody settled. */
  readonly unknown: number;
  /** Questions only a person can answer. */
  readonly needsYou: number;
}

/** The run's status as a person sees it. `resuming`: between two attempts. */
export type RunPhase = "queued" | "resuming" | RunStatus;

export interface FailureView {
  readonly code: string;
  readonly message: string;
  readonly resumable: boolean;
  readonly seq: number;
  readonly at: string;
}

/** A point on the timeline; neighbouring text deltas share one. */
export interface MarkView {
  readonly seq: number;
  readonly at: string;
  readonly attempt: number;
  readonly type: string;
}

export interface RunState {
  /** 0 before the first event. */
  readonly lastSeq: number;
  readonly lastAt: string | null;
  readonly status: RunStatus;
  readonly phase: RunPhase;
  readonly input: RunInput | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly attempts: readonly AttemptView[];
  /** Every call, in the order they were first heard of. */
  readonly calls: readonly CallView[];
  /** The rows, in the order they were first heard of. */
  readonly intents: readonly IntentView[];
  readonly marks: readonly MarkView[];
  /** Which tools are known to be reads or writes. */
  readonly toolKinds: Readonly<Record<string, CallKind>>;
  readonly counts: Counts;
  /** The failure that stopped the run, while it stands. */
  readonly failure: FailureView | null;
  readonly cancelledBy: string | null;
  readonly usage: Usage;
}
