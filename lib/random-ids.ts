/** The ids port on the system's random source. */
import { randomBytes } from "node:crypto";
import { asRunId, asThreadId } from "./core/ids.ts";
import type { Ids } from "./core/ports.ts";

const BASE_32 = "0123456789abcdefghjkmnpqrstvwxyz";

/** 20 characters of base 32: 100 random bits. */
export function randomText(length = 20): string {
  return Array.from(randomBytes(length), (byte) => BASE_32[byte % 32]).join("");
}

export const randomIds: Ids = {
  runId: () => asRunId(`run_${randomText()}`),
  threadId: () => asThreadId(`thr_${randomText()}`),
  appendId: () => `app_${randomText()}`,
};
