/** Repeats a database statement while the database is away. Only for statements that are safe to repeat. */
import { AppError, ownerStopped } from "../core/errors.ts";
import type { RuntimeDeps } from "./deps.ts";

/**
 * Runs `statement` until it is answered, with a growing pause after `store-unavailable`. Every other error is
 * thrown as it is. Throws `owner-stopped` when the signal aborts during a pause.
 */
export async function retryStore<T>(
  deps: Pick<RuntimeDeps, "clock" | "limits" | "log">,
  what: string,
  statement: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let pauseMs = deps.limits.storeBackoffMs;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "store-unavailable") throw error;
      deps.log.warn({ what, pauseMs, detail: error.detail }, "the database is away; trying again");
      await deps.clock.sleep(pauseMs, signal);
      if (signal?.aborted) throw ownerStopped(`gave up on ${what}`);
      pauseMs = Math.min(pauseMs * 2, deps.limits.storeBackoffMaxMs);
    }
  }
}
