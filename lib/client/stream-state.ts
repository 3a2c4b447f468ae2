/**
 * The connection of one run's stream, as a pure state machine: what happened and when go in, the next state comes
 * out. The shell (run-stream.ts) only obeys. Times are milliseconds on any clock that the caller passes in.
 *
 *   connecting ──hello──▶ replaying ──caughtup──▶ live
 *       ▲                     │                     │
 *       └──── reconnecting ◀──┴──── lost, bye ──────┘        any ──end──▶ ended, ──refused──▶ stopped
 *   three short connections in a row ──▶ slow (pages instead of a stream)      browser offline ──▶ offline
 */

export type Phase =
  "connecting" | "replaying" | "live" | "reconnecting" | "slow" | "offline" | "ended" | "stopped";

export interface StreamState {
  readonly phase: Phase;
  /** The cursor: seq of the last event that was applied. */
  readonly lastSeq: number;
  /** seq of the run's newest event, as far as it was told. */
  readonly head: number;
  readonly pingMs: number;
  /** Failed tries since the last healthy connection. */
  readonly tries: number;
  /** Connections in a row that did not last. */
  readonly shortInARow: number;
  readonly connectedAt: number | null;
  readonly heardAt: number;
  /** When the connection was lost; a quiet reconnect is not shown. */
  readonly lostAt: number | null;
  /** Least pause that the server asked for. */
  readonly retryMs: number;
  readonly build: string | null;
  /** A newer build answers: the reader may reload. */
  readonly isOutdated: boolean;
  readonly openCalls: number;
  readonly refusal: { readonly code: string; readonly message: string } | null;
}

export type StreamInput =
  | { readonly is: "connect" }
  | { readonly is: "hello"; readonly head: number; readonly pingMs: number; readonly build: string }
  | { readonly is: "heard" }
  | { readonly is: "applied"; readonly seq: number }
  | { readonly is: "caughtup"; readonly head: number }
  | { readonly is: "end"; readonly openCalls: number }
  | { readonly is: "bye"; readonly retryMs: number }
  | { readonly is: "reset" }
  | { readonly is: "lost"; readonly retryMs?: number }
  | { readonly is: "refused"; readonly code: string; readonly message: string }
  | { readonly is: "offline" }
  | { readonly is: "online" }
  | { readonly is: "slow" };

/** Source: STREAM, "Client": 0.25 s doubling to 10 s, without an end. */
export const BACKOFF_MS = { first: 250, most: 10_000 } as const;
/** A connection that lived this long was healthy. */
export const HEALTHY_MS = 10_000;
/** A connection below this counts as short; three in a row mean that something holds the stream back. */
export const SHORT_MS = 1_000;
export const SHORT_IN_A_ROW_MAX = 3;
/** Silence, in pings, after which a connection is taken for dead. */
export const SILENT_PINGS = 2.5;
/** A loss shorter than this is not shown. */
export const QUIET_LOSS_MS = 1_000;

export function initialStreamState(lastSeq: number, head: number, now: number): StreamState {
  return {
    phase: "connecting",
    lastSeq,
    head: Math.max(lastSeq, head),
    pingMs: 15_000,
    tries: 0,
    shortInARow: 0,
    connectedAt: null,
    heardAt: now,
    lostAt: null,
    retryMs: 0,
    build: null,
    isOutdated: false,
    openCalls: 0,
    refusal: null,
  };
}

/** Applies one thing that happened. */
export function nextStreamState(state: StreamState, input: StreamInput, now: number): StreamState {
  switch (input.is) {
    case "connect":
      return { ...state, connectedAt: null, heardAt: now };
    case "hello":
      return onHello(state, input, now);
    case "heard":
      return { ...state, heardAt: now };
    case "applied":
      return { ...state, lastSeq: input.seq, head: Math.max(state.head, input.seq), heardAt: now };
    case "caughtup":
      return {
        ...state,
        phase: "live",
        head: Math.max(state.head, input.head),
        lostAt: null,
        heardAt: now,
      };
    case "end":
      return { ...state, phase: "ended", openCalls: input.openCalls, tries: 0, lostAt: null };
    case "bye":
      return onLost({ ...state, shortInARow: 0 }, now, { retryMs: input.retryMs, isPlanned: true });
    case "reset":
      return { ...initialStreamState(0, 0, now), build: state.build, pingMs: state.pingMs };
    case "lost":
      return onLost(state, now, { retryMs: input.retryMs ?? 0, isPlanned: false });
    case "refused":
      return { ...state, phase: "stopped", refusal: { code: input.code, message: input.message } };
    case "offline":
      return { ...state, phase: "offline", lostAt: state.lostAt ?? now };
    case "online":
      return { ...state, phase: "reconnecting", tries: 0, retryMs: 0 };
    case "slow":
      return { ...state, phase: "slow", shortInARow: 0 };
  }
}

function onHello(
  state: StreamState,
  { head, pingMs, build }: Extract<StreamInput, { is: "hello" }>,
  now: number,
): StreamState {
  return {
    ...state,
    phase: "replaying",
    head,
    pingMs,
    build: state.build ?? build,
    isOutdated: state.isOutdated || (state.build !== null && state.build !== build),
    connectedAt: now,
    heardAt: now,
    retryMs: 0,
    refusal: null,
  };
}

function onLost(
  state: StreamState,
  now: number,
  { retryMs, isPlanned }: { readonly retryMs: number; readonly isPlanned: boolean },
): StreamState {
  const livedMs = state.connectedAt === null ? 0 : now - state.connectedAt;
  const wasHealthy = isPlanned || livedMs >= HEALTHY_MS;
  return {
    ...state,
    phase: "reconnecting",
    tries: wasHealthy ? 1 : state.tries + 1,
    shortInARow:
      !isPlanned && state.connectedAt !== null && livedMs < SHORT_MS ? state.shortInARow + 1 : 0,
    connectedAt: null,
    lostAt: state.lostAt ?? now,
    retryMs,
  };
}

/** Pause before the next try. `random` from 0 to 1: full jitter. */
export function retryDelayMs(state: StreamState, random: number): number {
  const most = Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** Math.max(0, state.tries - 1));
  return Math.max(state.retryMs, most * random);
}

/** Whether nothing was heard for so long that the connection has to be dead, whatever the browser says. */
export function isSilent(state: StreamState, now: number): boolean {
  return now - state.heardAt > state.pingMs * SILENT_PINGS;
}

/** What a reader is shown of the connection. */
export type ConnectionState =
  | { readonly kind: "connecting" }
  | { readonly kind: "replaying"; readonly applied: number; readonly head: number }
  | { readonly kind: "live"; readonly lagMs: number }
  | { readonly kind: "paused"; readonly waiting: number }
  | { readonly kind: "reconnecting"; readonly tries: number }
  | { readonly kind: "slow" }
  | { readonly kind: "offline" }
  | { readonly kind: "stopped"; readonly code: string; readonly message: string }
  | { readonly kind: "ended" };

export function connectionOf(state: StreamState, now: number): ConnectionState {
  switch (state.phase) {
    case "connecting":
    case "slow":
    case "offline":
    case "ended":
      return { kind: state.phase };
    case "replaying":
      return state.lastSeq >= state.head
        ? { kind: "live", lagMs: 0 }
        : { kind: "replaying", applied: state.lastSeq, head: state.head };
    case "live":
      return { kind: "live", lagMs: Math.max(0, now - state.heardAt - state.pingMs) };
    case "reconnecting":
      return state.lostAt !== null && now - state.lostAt < QUIET_LOSS_MS
        ? { kind: "live", lagMs: 0 }
        : { kind: "reconnecting", tries: state.tries };
    case "stopped":
      return {
        kind: "stopped",
        code: state.refusal?.code ?? "unexpected",
        message: state.refusal?.message ?? "",
      };
  }
}
