/**
 * Every number that other numbers depend on, in one place, each with its unit and source. The order they
 * must keep is asserted by `assertLimits`, which the composition root and the tests call.
 */
import { assert } from "./errors.ts";

export interface Limits {
  /** How long a lease lasts without renewal. Source: DESIGN, "Lease". */
  readonly leaseMs: number;
  /** How often an owner renews. Source: five missed renewals lose the lease. */
  readonly renewEveryMs: number;
  /** How often free slots look for runs without an owner. */
  readonly sweepEveryMs: number;
  /** How many runs one process drives at once. */
  readonly slots: number;
  /** Budget of one attempt before it hands over; 0 = none. Source: the host's limit. */
  readonly softTimeoutMs: number;
  /** How long open bodies may still store their outcome after a stop was asked for. */
  readonly graceMs: number;
  /** Age of a start's acknowledgement after which the fence is read again before a body. */
  readonly startFreshMs: number;
  /** How long a verifier may take before its answer counts as unknown. */
  readonly verifyMs: number;
  /** Silence of a model's stream after which it counts as dead. */
  readonly modelStallMs: number;
  /** Pause between two stored text deltas of one stream. */
  readonly textFlushMs: number;
  /** Attempts of one run before it fails. */
  readonly attemptsMax: number;
  /** Attempts in a row without a new completed call or finished step before the run fails. */
  readonly idleAttemptsMax: number;
  /** Model steps of one run before it fails. */
  readonly stepsMax: number;
  /** Wall clock of one run, waiting not counted, before it fails. */
  readonly runWallClockMs: number;
  /** Tries of one model request that was refused with 429 or 529, or failed before its first byte. */
  readonly modelTriesMax: number;
  /** Pause before a retry when the server named none; doubled each time. */
  readonly modelBackoffMs: number;
  /** Longest pause a server may ask for before a retry within an attempt. */
  readonly modelRetryAfterMaxMs: number;
  /** First pause of a retried database statement; doubled up to `storeBackoffMaxMs`. */
  readonly storeBackoffMs: number;
  readonly storeBackoffMaxMs: number;
  /** Connections of one process to PostgreSQL, besides one to listen and one to notify. */
  readonly storePoolSize: number;
  /** How long a statement waits for a row that another one has locked. */
  readonly storeLockMs: number;
  /** How long PostgreSQL works on one statement before it gives up. */
  readonly storeStatementMs: number;
  /** Silence after which a connection counts as dead: a half-open socket reports nothing. */
  readonly storeAnswerMs: number;
  /** How often the listening connection is asked whether it is alive. */
  readonly listenProbeMs: number;
  /** Comment sent on a silent event stream. Source: proxies close idle streams after 30 s and more. */
  readonly pingMs: number;
  /** Periodic look at the heads of watched runs, in case a notification was lost. */
  readonly catchUpEveryMs: number;
  /** Pause between two notifications to other processes under load. Source: STREAM, "LISTEN/NOTIFY, measured". */
  readonly notifyEveryMs: number;
  /** A watcher that took nothing for this long is closed. */
  readonly watcherIdleMs: number;
  /** Planned end of a stream, ± 20 %. */
  readonly streamRotateMs: number;
  /** Open event streams of one process. Source: about 110 KB of memory each. */
  readonly streamsMax: number;
  /** Events in one JSON page. */
  readonly pageEventsMax: number;
  /** Bytes of one batch of stream frames. */
  readonly frameBytesMax: number;
  /** Result or input larger than this travels as a reference in the stream. */
  readonly inlineBytesMax: number;
  /** Bytes of a request body. */
  readonly bodyBytesMax: number;
  /** Characters of a message. */
  readonly messageCharsMax: number;
}

export const DEFAULT_LIMITS: Limits = {
  leaseMs: 5_000,
  renewEveryMs: 1_000,
  sweepEveryMs: 1_000,
  slots: 100,
  softTimeoutMs: 0,
  graceMs: 5_000,
  startFreshMs: 250,
  verifyMs: 10_000,
  modelStallMs: 60_000,
  textFlushMs: 40,
  attemptsMax: 50,
  idleAttemptsMax: 5,
  stepsMax: 200,
  runWallClockMs: 24 * 60 * 60 * 1_000,
  modelTriesMax: 5,
  modelBackoffMs: 1_000,
  modelRetryAfterMaxMs: 60_000,
  storeBackoffMs: 50,
  storeBackoffMaxMs: 2_000,
  storePoolSize: 10,
  storeLockMs: 2_000,
  storeStatementMs: 10_000,
  storeAnswerMs: 12_000,
  listenProbeMs: 15_000,
  pingMs: 15_000,
  catchUpEveryMs: 1_000,
  notifyEveryMs: 5,
  watcherIdleMs: 30_000,
  streamRotateMs: 600_000,
  streamsMax: 2_000,
  pageEventsMax: 1_000,
  frameBytesMax: 64 * 1024,
  inlineBytesMax: 32 * 1024,
  bodyBytesMax: 1024 * 1024,
  messageCharsMax: 32_000,
};

/** Fails when numbers that depend on each other are out of order. */
export function assertLimits(limits: Limits): void {
  assert(limits.renewEveryMs * 3 <= limits.leaseMs, "a lease survives two missed renewals");
  assert(limits.startFreshMs < limits.leaseMs, "a fresh start is younger than a lease");
  assert(limits.textFlushMs < limits.renewEveryMs, "text is stored more often than leases renew");
  assert(limits.pingMs < limits.watcherIdleMs, "a silent watcher is pinged before it is closed");
  assert(limits.notifyEveryMs < limits.catchUpEveryMs, "other processes are told before they look");
  assert(limits.catchUpEveryMs < limits.watcherIdleMs, "catch-up runs before watchers are closed");
  assert(
    limits.watcherIdleMs < limits.streamRotateMs,
    "watchers are checked within a stream's life",
  );
  assert(limits.inlineBytesMax < limits.frameBytesMax, "an inline value fits into one frame");
  assert(limits.storeLockMs < limits.storeStatementMs, "a lock's time-out is told as such");
  assert(limits.storeStatementMs < limits.storeAnswerMs, "the database gives up first");
  assert(limits.idleAttemptsMax <= limits.attemptsMax, "idle attempts are attempts");
  assert(
    limits.softTimeoutMs === 0 || limits.softTimeoutMs > limits.renewEveryMs / 10,
    "an attempt has time to do something",
  );
}
