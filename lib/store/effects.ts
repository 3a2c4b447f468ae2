/**
 * What the demo world received. Every write is a statement of its own, never part of a run's commit: the outside
 * world knows nothing of our transactions.
 */
import { assert } from "../core/errors.ts";
import type { Effects } from "../core/ports.ts";
import type { Effect } from "../core/run-record.ts";
import type { Database, SqlValue } from "./database.ts";

type NewEffect = Parameters<Effects["record"]>[0];

interface EffectRow {
  readonly number: number;
  readonly runId: string;
  readonly action: string;
  readonly input: unknown;
  readonly idempotencyKey: string;
  readonly at: string;
}

const COLUMNS = `number, run_id as "runId", action, input, idempotency_key as "idempotencyKey", at`;

const RECORD = `
insert into effects (run_id, action, input, idempotency_key, once_by_key, at)
select $1, $2, $3::text::json, $4, $5::boolean, clock_timestamp()
where not $5::boolean
  or not exists (select from effects where idempotency_key = $4)
-- Two of the same key at once: effects_once_by_key lets one in.
on conflict (idempotency_key) where once_by_key
do nothing
returning ${COLUMNS}`;

const FIRST_BY_KEY = `
select ${COLUMNS}
from effects
where idempotency_key = $1
order by number
limit 1`;

const LIST = `
select ${COLUMNS}
from effects
where ($1::text is null or run_id = $1)
  and ($2::text is null or action = $2)
order by number
limit $3`;

export function createEffects(database: Database): Effects {
  return {
    record: async (effect, options) => {
      const values = valuesOf(effect, options?.onceByKey ?? false);
      const [stored] = await database.query<EffectRow>(RECORD, values);
      if (stored) return { effect: toEffect(stored), repeated: false };
      const [first] = await database.query<EffectRow>(FIRST_BY_KEY, [effect.idempotencyKey]);
      assert(first, `an effect that was refused has a first one of the key`);
      return { effect: toEffect(first), repeated: true };
    },
    list: async ({ runId, action, limit }) => {
      const values = [runId ?? null, action ?? null, limit];
      return (await database.query<EffectRow>(LIST, values)).map(toEffect);
    },
  };
}

function valuesOf(effect: NewEffect, onceByKey: boolean): SqlValue[] {
  const { runId, action, input, idempotencyKey } = effect;
  return [runId, action, JSON.stringify(input ?? null), idempotencyKey, onceByKey];
}

function toEffect({ number, ...row }: EffectRow): Effect {
  return { id: `eff_${number}`, ...row };
}
