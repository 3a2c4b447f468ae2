/** The log port on pino: one JSON line per fact, to standard error, so that a command's own output stays clean. */
import { pino, stdSerializers } from "pino";
import type { Log } from "./core/ports.ts";

/** Makes the process's log. */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: stdSerializers },
    pino.destination({ dest: 2, sync: true }),
  );
}
