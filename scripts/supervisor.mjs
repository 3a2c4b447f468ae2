/**
 * Keeps one server process alive: starts it again at once when it dies, tells the new one whom it replaces, passes
 * SIGTERM and SIGINT on, and never leaves it behind.
 */
import { randomBytes } from "node:crypto";
import { say } from "./say.mjs";

const TIMES = {
  /** A server that dies this soon after its start, so often in a row, is given a pause before the next one. */
  quickDeathMs: 3_000,
  /** Also the pause after one that ended by itself, as when the database is away. */
  pauseMs: 1_000,
  /** The last resort: a server that has not ended so long after it was told to is killed. */
  killAfterMs: 20_000,
  /** Some versions of npm pass Ctrl+C on to a process that has had it from the terminal: no second wish. */
  echoMs: 500,
};
const QUICK_DEATHS_MAX = 5;
/** Every dead one may have left runs that its successor died too early to claim; a name costs one statement. */
const PREDECESSORS_MAX = 20;
/** What lib/start-server.ts ends with where somebody else has the data directory. */
const DIRECTORY_HELD = 75;

/**
 * Runs until the server ends by itself or is told to; resolves with the exit code. `startServer` gets the new
 * process's name as an owner and those of its dead predecessors, and returns the child process.
 */
export function supervise(startServer, times = {}) {
  const { killAfterMs, echoMs, ...pauses } = { ...TIMES, ...times };
  return new Promise((resolve) => {
    const deaths = new Deaths(pauses);
    let child;
    let pause;

    const start = () => {
      pause = undefined;
      const owner = `own_${randomBytes(5).toString("hex")}`;
      const startedAt = Date.now();
      child = startServer({ owner, predecessors: deaths.owners });
      child.on("exit", (code, signal) => {
        if (stop.isAsked) return resolve(stop.isForced ? 1 : (code ?? 0));
        const next = deaths.add({ code, signal, owner, livedMs: Date.now() - startedAt });
        say(next.sentence);
        if (next.isLast) return resolve(code || 1);
        pause = setTimeout(start, next.pauseMs);
      });
    };

    const stop = onStop({ killAfterMs, echoMs }, (signal) => {
      if (pause === undefined) return child.kill(signal);
      clearTimeout(pause);
      resolve(0);
    });
    start();
  });
}

/** Remembers who died, and tells after each death whether and when another is started. */
class Deaths {
  owners = [];
  #quickInARow = 0;
  #hasLived = false;
  #times;

  constructor(times) {
    this.#times = times;
  }

  add({ code, signal, owner, livedMs }) {
    const isQuick = livedMs < this.#times.quickDeathMs;
    this.#quickInARow = isQuick ? this.#quickInARow + 1 : 0;
    this.#hasLived ||= !isQuick;
    this.owners = [...this.owners, owner].slice(-PREDECESSORS_MAX);
    const how = signal ?? `exit code ${code}`;
    if (code === DIRECTORY_HELD) return last("Another process has the data directory; stopping.");
    // One that never came up says why, and would say it again.
    if (signal === null && !this.#hasLived) {
      return last(`The server could not start (${how}); see the messages above.`);
    }
    const needsPause = signal === null || this.#quickInARow > QUICK_DEATHS_MAX;
    return {
      sentence: `The server process died (${how}); starting it again.`,
      pauseMs: needsPause ? this.#times.pauseMs : 0,
      isLast: false,
    };
  }
}

function last(sentence) {
  return { sentence, isLast: true };
}

/** Calls `send` with SIGTERM at the first signal to stop; with SIGKILL at a second one, or when it takes too long. */
function onStop({ killAfterMs, echoMs }, send) {
  const stop = { isAsked: false, isForced: false };
  let askedAt;
  const force = (sentence) => {
    if (stop.isForced) return;
    stop.isForced = true;
    say(sentence);
    send("SIGKILL");
  };
  const take = () => {
    if (stop.isAsked) {
      if (Date.now() - askedAt >= echoMs) force("Told to stop again: killing the server.");
      return;
    }
    stop.isAsked = true;
    askedAt = Date.now();
    setTimeout(
      () => force(`The server did not end within ${killAfterMs / 1_000} s: killing it.`),
      killAfterMs,
    ).unref();
    send("SIGTERM");
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, take);
  return stop;
}
