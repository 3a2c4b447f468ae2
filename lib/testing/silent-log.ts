/** A log for tests whose subject is something else. */
import type { Log } from "../core/ports.ts";

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
