/** The embedded database in a process that is killed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../clock.ts";
import type { RunId } from "../core/ids.ts";
import { DEFAULT_LIMITS } from "../core/limits.ts";
import { startChild, translate, type TranslatedTree } from "../testing/child-process.ts";
import { silentLog } from "../testing/silent-log.ts";
import { openStore } from "./store.ts";

let tree: TranslatedTree;
let dataDir: string;

beforeAll(async () => {
  tree = await translate("lib/testing/store-child.ts");
  dataDir = await mkdtemp(join(tmpdir(), "durable-resume-crash-"));
});

afterAll(async () => {
  await tree.remove();
  await rm(dataDir, { recursive: true, force: true });
});

it("keeps what was acknowledged, and its dead owner's run is due as soon as it is open again", async () => {
  const options = { dataDir, limits: DEFAULT_LIMITS, clock: systemClock, log: silentLog };
  const script = join(tree.directory, "lib/testing/store-child.js");
  for (let round = 1; round <= 3; round += 1) {
    const child = startChild(script, [dataDir, resolve("drizzle")]);
    const { runId } = (await child.next()) as { runId: RunId };
    await expect(openStore(options)).rejects.toMatchObject({
      code: "data-directory-locked",
      facts: { address: "http://127.0.0.1:3000" },
    });
    await child.kill();

    const store = await openStore(options);
    const events = await store.ledger.read(runId, 0, 10);
    expect(events.map(({ seq, type }) => `${seq} ${type}`)).toEqual([
      "1 run_started",
      "2 tool_start",
    ]);
    const claimed = await store.leases.claim(runId, "worker-2", 5_000);
    expect(claimed?.lease.fence).toBe(2);
    await Promise.all([store.close(), store.close()]);
    await expect(store.ledger.read(runId, 0, 10)).rejects.toMatchObject({
      code: "store-unavailable",
    });
  }
});
