/**
 * The life of a server process: opened at its start, ended in order by SIGTERM or SIGINT. Needs
 * `NEXT_MANUAL_SIG_HANDLE=true`, which the start commands set: Next would otherwise wait for open streams.
 */
import { AppError } from "./core/errors.ts";
import { getEnv } from "./env.ts";
import { watchRequestLines } from "./http/request-line.ts";
import { createLog } from "./log.ts";
import { findServer, getServer } from "./server.ts";

/** Tells the supervisor (scripts/supervisor.mjs) that trying again is of no use: somebody else has the data. */
const EXIT_DIRECTORY_HELD = 75;

/** Opens the server; ends the process with a sentence when it can't be opened. */
export async function startServer(): Promise<void> {
  const log = openLog();
  watchRequestLines();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop());
  try {
    await getServer();
  } catch (error) {
    const facts = error instanceof AppError ? { code: error.code, ...error.facts } : {};
    log.error(
      { ...facts, error: String(error), cause: causeOf(error) },
      "the server could not start",
    );
    const isHeld = error instanceof AppError && error.code === "data-directory-locked";
    process.exit(isHeld ? EXIT_DIRECTORY_HELD : 1);
  }
}

/** Settings that are not valid end the process with the sentence that names them. */
function openLog() {
  try {
    return createLog(getEnv().logLevel);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(1);
  }
}

async function stop(): Promise<void> {
  const server = await findServer()?.catch(() => undefined);
  await server?.shutdown();
  process.exit(0);
}

function causeOf(error: unknown): string | undefined {
  return error instanceof Error && error.cause !== undefined ? String(error.cause) : undefined;
}
