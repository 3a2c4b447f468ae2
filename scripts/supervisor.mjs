/**
 * Keeps one server process alive: starts it again at once when it dies, tells the new one whom it replaces, passes
 * SIGTERM and SIGINT on, and never leaves it behind.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { say } from "./say.mjs";

/** A server that dies this soon after its start, so often in a row, is given a pause before the next one. */
const QUICK_DEATH_MS = 3_000;
const QUICK_DEATHS_MAX = 5;
/** Also the pause after one that ended by itself, as when the database is away. */
const PAUSE_MS = 1_000;

/** Runs until the server ends by itself or is told to; resolves with the exit code. */
export function supervise({ host, port, env }) {
  return new Promise((resolve) => {
    let child;
    let predecessor;
    let quickDeaths = 0;
    let hasLived = false;
    let isStopping = false;

    const start = () => {
      const owner = `own_${randomBytes(5).toString("hex")}`;
      const startedAt = Date.now();
      child = startServer({ host, port, env, owner, predecessor });
      child.on("exit", (code, signal) => {
        if (isStopping) return resolve(code ?? 0);
        const livedMs = Date.now() - startedAt;
        quickDeaths = livedMs < QUICK_DEATH_MS ? quickDeaths + 1 : 0;
        hasLived ||= livedMs >= QUICK_DEATH_MS;
        // One that never came up says why, and would say it again.
        if (signal === null && !hasLived) {
          say(`The server could not start (exit code ${code}); see the messages above.`);
          return resolve(code || 1);
        }
        say(`The server process died (${signal ?? `exit code ${code}`}); starting it again.`);
        predecessor = owner;
        setTimeout(start, signal === null || quickDeaths > QUICK_DEATHS_MAX ? PAUSE_MS : 0);
      });
    };

    for (const signal of ["SIGTERM", "SIGINT"]) {
      process.on(signal, () => {
        isStopping = true;
        child?.kill("SIGTERM");
      });
    }
    start();
  });
}

function startServer({ host, port, env, owner, predecessor }) {
  const args = [
    "--import",
    new URL("./die-with-parent.mjs", import.meta.url).href,
    join("node_modules", "next", "dist", "bin", "next"),
    "start",
    "-H",
    host,
    "-p",
    String(port),
  ];
  return spawn(process.execPath, args, {
    // Its standard input is a pipe from us: when we die, it ends, and so does the server.
    stdio: ["pipe", "inherit", "inherit"],
    // A group of its own: Ctrl+C reaches it through us, once.
    detached: true,
    env: {
      ...process.env,
      ...env,
      HOST: host,
      PORT: String(port),
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      NEXT_MANUAL_SIG_HANDLE: "true",
      DIE_WITH_PARENT: "1",
      RUNNER_OWNER: owner,
      ...(predecessor && { RUNNER_PREDECESSOR: predecessor }),
    },
  });
}
