/** What lies beside the tables of a memory store: its wake-ups and the demo world's effects. */
import type { Effects, Wakeups } from "../core/ports.ts";
import type { MemoryState } from "./memory-state.ts";

/** Makes the wake-ups of a memory store; every commit tells its watchers by itself. */
export function memoryWakeups(state: MemoryState): Wakeups {
  return {
    watch: (runId, onHead) => {
      const watchers = state.watchers.get(runId) ?? new Set();
      // A function of its own, so that one callback may watch twice and stop once.
      const watcher: typeof onHead = (head) => onHead(head);
      watchers.add(watcher);
      state.watchers.set(runId, watchers);
      return () => {
        watchers.delete(watcher);
        if (watchers.size === 0) state.watchers.delete(runId);
      };
    },
    committed: (runId) => {
      const row = state.runs.get(runId);
      if (row) state.changed(row);
    },
    status: () => ({ listener: "in-process", watchedRuns: state.watchers.size }),
    close: async () => state.watchers.clear(),
  };
}

/** Makes the effects of a memory store. */
export function memoryEffects(state: MemoryState): Effects {
  return {
    record: (effect, options) => {
      const { runId, action, idempotencyKey } = effect;
      const input: unknown = JSON.parse(JSON.stringify(effect.input ?? null));
      return state.statement("effects.record", () => {
        const first = state.effects.find((known) => known.idempotencyKey === idempotencyKey);
        if (options?.onceByKey && first) return { effect: structuredClone(first), repeated: true };
        const id = `eff_${state.nextNumber()}`;
        const stored = { id, runId, action, input, idempotencyKey, at: state.nowIso() };
        state.effects.push(stored);
        return { effect: structuredClone(stored), repeated: false };
      });
    },
    list: ({ runId, action, limit }) =>
      state.statement("effects.list", () =>
        state.effects
          .filter((effect) => runId === undefined || effect.runId === runId)
          .filter((effect) => action === undefined || effect.action === action)
          .slice(0, limit)
          .map((effect) => structuredClone(effect)),
      ),
  };
}
