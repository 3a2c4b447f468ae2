/**
 * Where the runtime and the wire meet the outside: what they need of a store, a clock and a log, and nothing
 * of how it is done. lib/store implements the store's side on PostgreSQL, lib/testing in memory; one contract
 * suite runs against all of them.
 */
import type { NewEvent, RunEvent, RunInput, ToolDone, ToolResolved } from "./event.ts";
import type { OwnerId, RunId, ThreadId } from "./ids.ts";
import type {
  Effect,
  Fault,
  Lease,
  ModelChoice,
  RunRecord,
  RunStatus,
  ThreadRecord,
} from "./run-record.ts";

/** A value that a statement takes. */
export type TxValue = string | number | boolean | null | readonly (string | number | null)[];

/** A transaction of the ledger's database, for the short commit of a transactional action. */
export interface Tx {
  /** Runs one statement; `$1` and so on stand for the values. Throws `store-unavailable`. */
  query<Row extends object>(text: string, values?: readonly TxValue[]): Promise<Row[]>;
}

/** Where an append goes. */
export interface AppendPlace {
  readonly lease: Lease;
  /** Minted once per append and kept for its retries; unique in the run. */
  readonly appendId: string;
}

/** Does something in the transaction and returns the events to store with it, at least one. */
export type AppendWork = (tx: Tx) => Promise<readonly NewEvent[]>;

export interface TakenAppend {
  readonly appended: Appended;
  /** What was stored; undefined when an earlier try stored it, or nothing was. */
  readonly events: readonly NewEvent[] | undefined;
}

export interface AppendRequest extends AppendPlace {
  /** At least one. What they mean for the run's row is derived by `runChangeOf`. */
  readonly events: readonly NewEvent[];
  /** Append only while the run's last seq is this one: nothing was stored that the owner has not seen. */
  readonly expectLastSeq?: number;
  /** With an `attempt_ended` that hands the run over: the earliest moment of the next attempt, from now. */
  readonly nextTryInMs?: number;
}

export type Appended =
  | {
      readonly kind: "appended";
      readonly firstSeq: number;
      readonly lastSeq: number;
      /** ISO time of the commit's events, on the database's clock. */
      readonly at: string;
      readonly cancelRequested: boolean;
      /** true: the events were already stored by an earlier try of the same append. */
      readonly repeated: boolean;
      /** false only with `repeated`: the fence has moved since. */
      readonly fenceCurrent: boolean;
    }
  /** Nothing was stored, because `expectLastSeq` no longer holds. */
  | { readonly kind: "moved"; readonly lastSeq: number };

/** A late outcome as its finder knows it. */
export interface LateOutcome {
  readonly runId: RunId;
  readonly appendId: string;
  readonly event: Omit<ToolDone, "seq" | "at">;
}

export type LateStored =
  /** The call was open and is settled by this outcome. */
  | { readonly kind: "stored"; readonly seq: number }
  /** The call had been settled meanwhile: stored once, as a contradiction. */
  | { readonly kind: "contradiction"; readonly seq: number }
  /** The call already has an outcome; nothing was stored. */
  | { readonly kind: "known" };

export interface Settlement {
  readonly runId: RunId;
  /** The held or the open call, as the person named it. */
  readonly callId: string;
  readonly outcome: ToolResolved["outcome"];
  readonly result?: unknown;
  readonly reason?: string;
  /** The last seq the person had seen; a newer event about the call refuses the settlement. */
  readonly seenSeq?: number;
}

export interface Ledger {
  /**
   * Appends in one statement that fences, numbers and inserts. Repeating it with the same `appendId` is safe.
   * Throws `fence-stale`, `ledger-closed`, `run-not-found`, `store-unavailable`.
   */
  append(request: AppendRequest): Promise<Appended>;
  /**
   * Appends what `work` returns, in one transaction with what it does; repeating it with the same `appendId` is safe.
   * Throws as `append` does, and what `work` throws: then nothing was stored.
   */
  appendWith(place: AppendPlace, work: AppendWork): Promise<TakenAppend>;
  /** Events after `afterSeq` in order, at most `limit`. Throws `store-unavailable`, `store-corrupt`. */
  read(runId: RunId, afterSeq: number, limit: number): Promise<RunEvent[]>;
  /**
   * Stores an outcome without a fence, under the run's row lock. Wakes a waiting run whose last awaited call it
   * closes. Throws `run-not-found`, `store-unavailable`.
   */
  appendLate(late: LateOutcome): Promise<LateStored>;
  /**
   * Stores a person's answer under the run's row lock; the first one wins.
   * Throws `run-busy`, `call-not-found`, `call-not-held`, `call-settled`.
   */
  settle(settlement: Settlement): Promise<{ readonly seq: number; readonly run: RunRecord }>;
}

/** What a claim found. */
export interface Claimed {
  readonly lease: Lease;
  /** ISO time of the claim, on the database's clock. */
  readonly at: string;
  readonly run: RunRecord;
}

export interface Leases {
  /** Takes a running run whose lease ran out and that is due (or cancelled); undefined if there is none. */
  claim(runId: RunId, owner: string, leaseMs: number): Promise<Claimed | undefined>;
  /** Takes at most `limit` such runs, oldest expiry first, passing over rows that another sweep has locked. */
  claimDue(owner: string, leaseMs: number, limit: number): Promise<Claimed[]>;
  /** Extends the lease, never shortens it. Throws `fence-stale`. */
  renew(lease: Lease, leaseMs: number): Promise<{ readonly cancelRequested: boolean }>;
  /** Reads whether the fence is still the current one. */
  isCurrent(lease: Lease): Promise<boolean>;
  /**
   * Gives the run back without an event: nothing had begun. `dueInMs`: nobody claims it before that, from now. A
   * stale fence changes nothing.
   */
  release(lease: Lease, dueInMs?: number): Promise<void>;
  /** Ends the leases of a process that is known to be dead; returns how many. */
  expireOwner(owner: string): Promise<number>;
  /** Ends all leases: on a database with one process, every earlier owner is dead. */
  expireAll(): Promise<number>;
  /** Ends one run's lease although its owner lives. For fault plans only. */
  expireRun(runId: RunId): Promise<void>;
}

export interface NewRun {
  readonly runId: RunId;
  readonly ownerId: OwnerId;
  readonly threadId: ThreadId;
  readonly clientToken?: string;
  readonly input: RunInput;
  readonly model: ModelChoice;
  readonly faults: readonly Fault[];
}

/** Where a run stands, without its history. */
export interface RunHead {
  readonly runId: RunId;
  readonly lastSeq: number;
  readonly status: RunStatus;
  readonly attempts: number;
  readonly leaseOwner: string | null;
  readonly leaseLeftMs: number;
  readonly fence: number;
  readonly nextTryAt: string | null;
}

export interface RunQuery {
  readonly ownerId: OwnerId;
  readonly status?: RunStatus;
  /** Words of the request's text. */
  readonly text?: string;
  /** From the page before. */
  readonly cursor?: string;
  readonly limit: number;
}

export interface RunPage {
  readonly runs: readonly RunRecord[];
  readonly next: string | null;
}

export interface Runs {
  createThread(ownerId: OwnerId, threadId: ThreadId): Promise<ThreadRecord>;
  /** Newest activity first. */
  listThreads(ownerId: OwnerId, limit: number): Promise<ThreadRecord[]>;
  /** Throws `thread-not-found`, also for another owner's thread. */
  getThread(ownerId: OwnerId, threadId: ThreadId): Promise<ThreadRecord>;
  /** The runs of a thread, oldest first. */
  listThreadRuns(threadId: ThreadId): Promise<RunRecord[]>;
  /**
   * Creates a run with its `run_started`, or returns the run that the same `clientToken` made before.
   * Throws `thread-not-found`, `run-busy` (with the active `runId`), `idempotency-conflict`.
   */
  createRun(run: NewRun): Promise<{ readonly run: RunRecord; readonly created: boolean }>;
  /** Throws `run-not-found`, also for another owner's run. */
  getRun(ownerId: OwnerId, runId: RunId): Promise<RunRecord>;
  listRuns(query: RunQuery): Promise<RunPage>;
  /** The tool events of several runs without their results, in order: what counts are folded from. */
  listCallEvents(runIds: readonly RunId[]): Promise<Map<RunId, RunEvent[]>>;
  heads(runIds: readonly RunId[]): Promise<RunHead[]>;
  /** Marks the run as to be cancelled; a waiting run becomes due. Throws `run-terminal`. */
  requestCancel(runId: RunId): Promise<RunRecord>;
  /** Makes a failed, resumable run running and due. Throws `run-terminal`, `run-busy`. */
  reopen(runId: RunId): Promise<RunRecord>;
}

/** Tells readers that a run has more events. A notification wakes; the table decides. */
export interface Wakeups {
  /** Calls `onHead` with a run's last seq whenever it may have grown; returns how to stop. */
  watch(runId: RunId, onHead: (head: RunHead) => void): () => void;
  /** Told after each commit of this process. Cheap: marks the run, sends later. */
  committed(runId: RunId, lastSeq: number): void;
  status(): {
    readonly listener: "listening" | "reconnecting" | "in-process";
    readonly watchedRuns: number;
  };
  close(): Promise<void>;
}

export interface EffectQuery {
  /** Only effects of this person's runs. */
  readonly ownerId?: OwnerId;
  readonly runId?: string;
  readonly action?: string;
  /** From the page before: only older ones. */
  readonly cursor?: string;
  readonly limit: number;
}

export interface EffectPage {
  readonly effects: readonly Effect[];
  /** Leads to the page of older ones; null when there are none. */
  readonly next: string | null;
}

/** What the demo world received; kept apart from the ledger, as the outside world is. */
export interface Effects {
  /**
   * Stores an effect. With `onceByKey`, a key the world has already seen returns the first effect and adds none.
   */
  record(
    effect: Omit<Effect, "id" | "at">,
    options?: { readonly onceByKey?: boolean },
  ): Promise<{ readonly effect: Effect; readonly repeated: boolean }>;
  /** Stores an effect within a transaction: it is there if that one commits. */
  recordIn(tx: Tx, effect: Omit<Effect, "id" | "at">): Promise<Effect>;
  /** The first effect of an action under a key. */
  findByKey(action: string, idempotencyKey: string): Promise<Effect | undefined>;
  /** The newest `limit` that match, in the order they arrived. Throws `invalid-cursor`. */
  list(query: EffectQuery): Promise<EffectPage>;
}

/** Timers and the monotonic clock. Dates are the database's business. */
export interface Clock {
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms`; returns how to cancel. */
  after(ms: number, run: () => void): () => void;
}

export interface Ids {
  runId(): RunId;
  threadId(): ThreadId;
  appendId(): string;
}

export interface Log {
  debug(facts: Readonly<Record<string, unknown>>, message: string): void;
  info(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
  error(facts: Readonly<Record<string, unknown>>, message: string): void;
}
