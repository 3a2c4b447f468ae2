/**
 * Bodies that outlive their attempt. When one ends after its attempt was cut, cancelled or taken over, what it
 * proves is stored as a late outcome, whoever owns the run by then. Lives as long as the process, not the attempt.
 */
import type { Outcome, ToolDone } from "../core/event.ts";
import type { RunId } from "../core/ids.ts";
import type { RuntimeDeps } from "./deps.ts";
import { retryStore } from "./retry-store.ts";

export interface LateCall {
  readonly runId: RunId;
  readonly attempt: number;
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
}

export class LateOutcomes {
  readonly #deps: RuntimeDeps;
  readonly #stopped = new AbortController();
  readonly #storing = new Set<Promise<void>>();

  constructor(deps: RuntimeDeps) {
    this.#deps = deps;
  }

  /** Stores what is now known about the call, for as long as the database needs. Never throws. */
  store(
    call: LateCall,
    found: { readonly outcome: Outcome; readonly result: unknown },
  ): Promise<void> {
    // "Unknown" proves nothing: the open start already says so.
    if (found.outcome === "unknown") return Promise.resolve();
    const storing = this.#store(call, found);
    this.#storing.add(storing);
    void storing.finally(() => this.#storing.delete(storing));
    return storing;
  }

  /** Waits for outcomes that are being stored, at most `ms`; then gives up on the rest. */
  async settle(ms: number): Promise<void> {
    const all = Promise.allSettled(this.#storing);
    await Promise.race([all, this.#deps.clock.sleep(ms)]);
    this.#stopped.abort();
  }

  async #store(
    call: LateCall,
    found: { readonly outcome: Outcome; readonly result: unknown },
  ): Promise<void> {
    const { runId, attempt, callId, tool, input } = call;
    const event: Omit<ToolDone, "seq" | "at"> = {
      type: "tool_done",
      attempt,
      callId,
      tool,
      input,
      ...found,
      late: true,
    };
    const late = { runId, appendId: this.#deps.ids.appendId(), event };
    try {
      await retryStore(
        this.#deps,
        "late outcome",
        () => this.#deps.ledger.appendLate(late),
        this.#stopped.signal,
      );
    } catch (error) {
      this.#deps.log.error(
        { runId, callId, error: String(error) },
        "a late outcome was not stored",
      );
    }
  }
}
