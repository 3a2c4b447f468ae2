/**
 * Renews a lease from claim to release, also while the model is slow or a body runs. It decides nothing: a lost
 * fence and a cancel mark are told to the attempt.
 */
import { hasCode } from "../core/errors.ts";
import type { Lease } from "../core/run-record.ts";
import type { RuntimeDeps } from "./deps.ts";

export interface LeaseHooks {
  readonly onCancelRequested: () => void;
  readonly onLost: (error: unknown) => void;
}

/** Renews until `stop` is called or the fence is lost. Returns `stop`. */
export function keepLease(deps: RuntimeDeps, lease: Lease, hooks: LeaseHooks): () => void {
  const stopped = new AbortController();
  const renewForEver = async () => {
    while (!stopped.signal.aborted) {
      await deps.clock.sleep(deps.limits.renewEveryMs, stopped.signal);
      if (stopped.signal.aborted) return;
      try {
        const { cancelRequested } = await deps.leases.renew(lease, deps.limits.leaseMs);
        if (cancelRequested && !stopped.signal.aborted) hooks.onCancelRequested();
      } catch (error) {
        if (stopped.signal.aborted) return;
        if (hasCode(error, "fence-stale")) {
          hooks.onLost(error);
          return;
        }
        // The database is away. The fence is checked by every append, so going on is safe.
        deps.log.warn({ runId: lease.runId, error: String(error) }, "a lease could not be renewed");
      }
    }
  };
  void renewForEver();
  return () => stopped.abort();
}
