/** What lies beside the tables of a memory store: its wake-ups and the demo world's effects. */
import { assert, invalidCursor } from "../core/errors.ts";
import type { RunId } from "../core/ids.ts";
import type { EffectPage, EffectQuery, Effects, Tx, Wakeups } from "../core/ports.ts";
import type { Effect } from "../core/run-record.ts";
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

/** A transaction of a memory store: knows no SQL, and keeps effects until the commit. */
export class MemoryTx implements Tx {
  readonly effects: Effect[] = [];

  query(): Promise<never> {
    return Promise.reject(new Error("a store in memory knows no SQL"));
  }
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
    recordIn: async (tx, effect) => {
      assert(tx instanceof MemoryTx, "the transaction is one of a memory store");
      const input: unknown = JSON.parse(JSON.stringify(effect.input ?? null));
      const stored = { ...effect, input, id: `eff_${state.nextNumber()}`, at: state.nowIso() };
      tx.effects.push(stored);
      return structuredClone(stored);
    },
    findByKey: (action, idempotencyKey) =>
      state.statement("effects.findByKey", () => {
        const first = state.effects.find(
          (effect) => effect.action === action && effect.idempotencyKey === idempotencyKey,
        );
        return first && structuredClone(first);
      }),
    list: (query) => state.statement("effects.list", () => pageOf(state, query)),
  };
}

function pageOf(state: MemoryState, query: EffectQuery): EffectPage {
  const { ownerId, runId, action, cursor, limit } = query;
  if (cursor !== undefined && !/^e[1-9][0-9]{0,14}$/.test(cursor)) {
    throw invalidCursor(cursor, "cursor", "the next of a page before");
  }
  const before = cursor === undefined ? Infinity : Number(cursor.slice(1));
  const matching = state.effects
    .filter((effect) => runId === undefined || effect.runId === runId)
    .filter((effect) => action === undefined || effect.action === action)
    .filter(
      (effect) =>
        ownerId === undefined || state.runs.get(effect.runId as RunId)?.ownerId === ownerId,
    )
    .filter(({ id }) => Number(id.slice("eff_".length)) < before);
  const page = matching.slice(-limit);
  const oldest = page[0];
  return {
    effects: page.map((effect) => structuredClone(effect)),
    next: oldest && page.length < matching.length ? oldest.id.replace("eff_", "e") : null,
  };
}
