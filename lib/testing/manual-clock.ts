/**
 * A clock that moves only when told. Timers fire in the order of their times, then of their making, and promise
 * chains settle between them, so that a test reads like a timetable and never waits for real time.
 */
import type { Clock } from "../core/ports.ts";

export interface ManualClock extends Clock {
  /** Moves time forward, firing every timer that falls due on the way, also those made meanwhile. */
  advance(ms: number): Promise<void>;
  /** Lets promise chains run until they wait for a timer or for something outside. Time stands still. */
  settle(): Promise<void>;
  /** Timers that have neither fired nor been cancelled; a test that ends with some leaks. */
  pendingTimers(): number;
}

interface Timer {
  readonly dueAt: number;
  readonly number: number;
  readonly run: () => void;
}

/** Makes a manual clock. `startMs`: what it shows first. */
export function manualClock(startMs = 0): ManualClock {
  let now = startMs;
  let made = 0;
  const timers = new Set<Timer>();

  const after = (ms: number, run: () => void) => {
    const timer: Timer = { dueAt: now + Math.max(0, ms), number: (made += 1), run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };

  const advance = async (ms: number) => {
    const until = now + ms;
    await settlePromises();
    for (;;) {
      const next = earliest(timers, until);
      if (next === undefined) break;
      timers.delete(next);
      now = next.dueAt;
      next.run();
      await settlePromises();
    }
    now = until;
  };

  return {
    monotonicMs: () => now,
    after,
    sleep: (ms, signal) => sleepWith(after, ms, signal),
    advance,
    settle: settlePromises,
    pendingTimers: () => timers.size,
  };
}

function earliest(timers: ReadonlySet<Timer>, until: number): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (timer.dueAt <= until && (first === undefined || isBefore(timer, first))) first = timer;
  }
  return first;
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.number < b.number);
}

function sleepWith(after: Clock["after"], ms: number, signal: AbortSignal | undefined) {
  return new Promise<void>((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = () => {
      cancel();
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const cancel = after(ms, wake);
    signal?.addEventListener("abort", wake, { once: true });
  });
}

/**
 * A macrotask runs only when no microtask is left, so a few of them in a row drain promise chains that pass
 * through streams. `setImmediate` waits for no time; it is no timer of the code under test.
 */
async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Source: a chunk through the AI SDK's stream pipes takes at most two macrotasks; the rest is margin. */
const TURNS = 5;
