/**
 * What the demo world received. Every write is a statement of its own, never part of a run's commit: the outside
 * world knows nothing of our transactions.
 */
import { assert, invalidCursor } from "../core/errors.ts";
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
  and ($2::text is null or action = $2)
order by number
limit 1`;

// A run that is not there any more has no owner: its effects are nobody's.
const LIST = `
select ${COLUMNS}
from effects
where ($1::text is null or run_id = $1)
  and ($2::text is null or action = $2)
  and ($3::text is null or exists (
    select from runs where runs.id = effects.run_id and runs.owner_id = $3))
  and ($4::bigint is null or number < $4)
order by number desc
limit $5`;

export function createEffects(database: Database): Effects {
  return {
    record: async (effect, options) => {
      const values = valuesOf(effect, options?.onceByKey ?? false);
      const [stored] = await database.query<EffectRow>(RECORD, values);
      if (stored) return { effect: toEffect(stored), repeated: false };
      const [first] = await database.query<EffectRow>(FIRST_BY_KEY, [effect.idempotencyKey, null]);
      assert(first, `an effect that was refused has a first one of the key`);
      return { effect: toEffect(first), repeated: true };
    },
    recordIn: async (tx, effect) => {
      const [stored] = await tx.query<EffectRow>(RECORD, valuesOf(effect, false));
      assert(stored, "an effect that need not be the only one is stored");
      return toEffect(stored);
    },
    findByKey: async (action, idempotencyKey) => {
      const [first] = await database.query<EffectRow>(FIRST_BY_KEY, [idempotencyKey, action]);
      return first && toEffect(first);
    },
    list: async ({ runId, action, ownerId, cursor, limit }) => {
      const before = cursor === undefined ? null : parseCursor(cursor);
      // One more than asked for tells whether there are older ones.
      const values = [runId ?? null, action ?? null, ownerId ?? null, before, limit + 1];
      const rows = await database.query<EffectRow>(LIST, values);
      const page = rows.slice(0, limit).reverse();
      return {
        effects: page.map(toEffect),
        next: rows.length > limit && page[0] ? `e${page[0].number}` : null,
      };
    },
  };
}

/** Shape: `e` and the number of the oldest effect of the page before. Example: `e42`. */
function parseCursor(cursor: string): number {
  if (/^e[1-9][0-9]{0,14}$/.test(cursor)) return Number(cursor.slice(1));
  throw invalidCursor(cursor, "cursor", "the next of a page before");
}

function valuesOf(effect: NewEffect, onceByKey: boolean): SqlValue[] {
  const { runId, action, input, idempotencyKey } = effect;
  return [runId, action, JSON.stringify(input ?? null), idempotencyKey, onceByKey];
}

function toEffect({ number, ...row }: EffectRow): Effect {
  return { id: `eff_${number}`, ...row };
}
