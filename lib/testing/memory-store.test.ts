import { systemClock } from "../clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { describeStoreContract } from "./store-contract.ts";

describeStoreContract("the store in memory", () => {
  const store = createMemoryStore({ clock: systemClock });
  return Promise.resolve({ store, close: () => store.wakeups.close() });
});
