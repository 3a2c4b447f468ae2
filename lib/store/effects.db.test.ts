import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeStorePlace, STORE_KINDS, type StorePlace } from "../testing/test-stores.ts";
import type { Store } from "./store.ts";

describe.each(STORE_KINDS)("the world on %s", (kind) => {
  let place: StorePlace;
  let store: Store;
  beforeAll(async () => {
    place = await makeStorePlace(kind);
    store = await place.open();
  });
  afterAll(() => place.remove());

  it("takes a write with a key once, and every one without it", async () => {
    const effect = {
      runId: "run_1",
      action: "charge_card",
      input: { zip: "00123" },
      idempotencyKey: "k",
    };
    const first = await store.effects.record(effect);
    const again = await store.effects.record(effect);
    const [once, twice] = await Promise.all([
      store.effects.record({ ...effect, idempotencyKey: "o" }, { onceByKey: true }),
      store.effects.record({ ...effect, idempotencyKey: "o" }, { onceByKey: true }),
    ]);
    expect(twice.effect).toEqual(once.effect);
    expect([once.repeated, twice.repeated].sort()).toEqual([false, true]);
    expect(await store.effects.record(effect, { onceByKey: true })).toEqual({
      effect: first.effect,
      repeated: true,
    });
    const { effects: all } = await store.effects.list({ runId: "run_1", limit: 10 });
    expect(all).toEqual([first.effect, again.effect, once.effect]);
  });
});
