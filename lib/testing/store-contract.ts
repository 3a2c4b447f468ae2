/**
 * What every store promises, as one suite: in memory, embedded and on a server alike. A suite never waits for time
 * and never looks into tables, so that whatever has the ports can be held to it.
 */
import { afterAll, beforeAll, describe, it } from "vitest";
import { appendRules, repeatRules } from "./contract-append.ts";
import { effectRules, exactRules, wakeupRules } from "./contract-world.ts";
import { fenceRules } from "./contract-fence.ts";
import { claimRules, expiryRules, renewRules } from "./contract-leases.ts";
import { lateRules } from "./contract-late.ts";
import { listRules, ownerRules } from "./contract-lists.ts";
import { cancelRules, reopenRules, requestRules } from "./contract-requests.ts";
import { type ContractStore, type Rule, Scene } from "./contract-scene.ts";
import { settleRules, wakeRules } from "./contract-settle.ts";
import { rowRules } from "./contract-row.ts";
import { withFenceRules, withRepeatRules, withRules } from "./contract-with.ts";

export interface StoreHarness {
  /** One for all rules; empty at first. */
  readonly store: ContractStore;
  /** Another process's view of the same database; absent where one process has it alone. */
  readonly peer?: ContractStore;
  close(): Promise<void>;
}

const GROUPS: Readonly<Record<string, readonly ((rule: Rule) => void)[]>> = {
  "its ledger": [appendRules, repeatRules, exactRules],
  "its fence": [fenceRules],
  "its appends with an effect": [withRules, withFenceRules, withRepeatRules],
  "its run's row": [rowRules],
  "its leases": [claimRules, renewRules, expiryRules],
  "its late outcomes": [lateRules],
  "its settlements": [settleRules, wakeRules],
  "its requests": [requestRules, cancelRules, reopenRules],
  "its lists": [listRules, ownerRules],
  "its effects and wake-ups": [effectRules, wakeupRules],
};

/** Holds a store to the contract; `makeStore` is called once. */
export function describeStoreContract(name: string, makeStore: () => Promise<StoreHarness>): void {
  describe(name, () => {
    let harness: StoreHarness;
    beforeAll(async () => {
      harness = await makeStore();
    });
    afterAll(() => harness.close());
    const rule: Rule = (title, check) => {
      it(title, () => check(new Scene(harness.store, harness.peer ?? harness.store)));
    };
    for (const [group, rules] of Object.entries(GROUPS)) {
      describe(group, () => rules.forEach((register) => register(rule)));
    }
  });
}
