/** The lock of a data directory, contended by real processes. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Child,
  startChild,
  translate,
  type TranslatedTree,
} from "../testing/child-process.ts";
import { lockDataDirectory, readDataDirectoryHolder } from "./data-directory-lock.ts";
import { identifySelf } from "./process-identity.ts";

let tree: TranslatedTree;
let directory: string;
let children: Child[];

beforeAll(async () => {
  tree = await translate("lib/testing/lock-child.ts");
});
afterAll(() => tree.remove());

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "durable-resume-lock-"));
  children = [];
});
afterEach(async () => {
  for (const child of children) await child.kill();
  await rm(directory, { recursive: true, force: true });
});

async function startContender(address: string): Promise<Child> {
  const child = startChild(join(tree.directory, "lib/testing/lock-child.js"), [directory, address]);
  children.push(child);
  await child.next();
  return child;
}

const tryToLock = (child: Child) => {
  child.process.send("go");
  return child.next();
};

const ADDRESS = "http://127.0.0.1:3000";

describe("a data directory", () => {
  it("belongs to one process; another one is told the address of the holder", async () => {
    expect(await tryToLock(await startContender(ADDRESS))).toEqual({ locked: true });
    await expect(lockDataDirectory(directory, "http://127.0.0.1:3001")).rejects.toMatchObject({
      code: "data-directory-locked",
      facts: { directory, address: ADDRESS },
    });
    expect(await readDataDirectoryHolder(directory)).toMatchObject({
      pid: children[0]?.process.pid,
      address: ADDRESS,
    });
  });

  it("can't be locked twice by one process", async () => {
    const lock = await lockDataDirectory(directory, ADDRESS);
    await expect(lockDataDirectory(directory, ADDRESS)).rejects.toMatchObject({
      code: "data-directory-locked",
    });
    await lock.release();
  });

  it("is free again after its release, and nothing is left behind", async () => {
    const lock = await lockDataDirectory(directory, ADDRESS);
    await lock.release();
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
    expect(await readDataDirectoryHolder(directory)).toBeUndefined();
    await (await lockDataDirectory(directory, undefined)).release();
  });

  it("is taken over from a process that was killed", async () => {
    const victim = await startContender(ADDRESS);
    await tryToLock(victim);
    await victim.kill();
    expect(await readDataDirectoryHolder(directory)).toBeUndefined();
    const lock = await lockDataDirectory(directory, "http://127.0.0.1:3001");
    expect(await readdir(directory)).toEqual(["owner.json"]);
    await lock.release();
  });

  it("is taken over by exactly one of many contenders, five times in a row", async () => {
    const victim = await startContender(ADDRESS);
    await tryToLock(victim);
    let holder = victim;
    for (let round = 0; round < 5; round += 1) {
      const contenders = await Promise.all([1, 2, 3, 4].map(() => startContender(ADDRESS)));
      await holder.kill();
      const answers = await Promise.all(contenders.map(tryToLock));
      const winners = contenders.filter((_, i) => (answers[i] as { locked: boolean }).locked);
      expect(winners).toHaveLength(1);
      const file = await readFile(join(directory, "owner.json"), "utf8");
      expect(JSON.parse(file)).toMatchObject({ pid: winners[0]?.process.pid });
      for (const loser of contenders) if (loser !== winners[0]) await loser.kill();
      holder = winners[0] as Child;
    }
  }, 30_000);

  it("is taken over although an earlier contender died while it did so", async () => {
    const dead = { ...identifySelf(), processStart: "1", address: null };
    await writeFile(join(directory, "owner.json"), JSON.stringify({ ...dead, token: "first" }));
    const stealing = join(directory, "owner.json.steal-first");
    await writeFile(stealing, JSON.stringify({ ...dead, token: "second" }));
    const lock = await lockDataDirectory(directory, ADDRESS);
    expect(await readdir(directory)).toEqual(["owner.json"]);
    await lock.release();
  });

  it("is not taken over while a living contender does so", async () => {
    const self = { ...identifySelf(), address: ADDRESS };
    const dead = { ...self, processStart: "1", token: "first" };
    await writeFile(join(directory, "owner.json"), JSON.stringify(dead));
    const stealing = join(directory, "owner.json.steal-first");
    await writeFile(stealing, JSON.stringify({ ...self, token: "second" }));
    await expect(lockDataDirectory(directory, ADDRESS)).rejects.toMatchObject({
      code: "data-directory-locked",
    });
  });

  it.each(["", "{", "[]", '{"pid":"1"}'])(
    "whose lock file holds %j is taken over",
    async (text) => {
      await writeFile(join(directory, "owner.json"), text);
      const lock = await lockDataDirectory(directory, ADDRESS);
      expect(await readDataDirectoryHolder(directory)).toMatchObject({ pid: process.pid });
      await lock.release();
    },
  );

  it("is taken over when its pid was given to another process", async () => {
    const other = { ...identifySelf(), processStart: "another moment", address: null };
    await writeFile(join(directory, "owner.json"), JSON.stringify({ ...other, token: "old" }));
    await (await lockDataDirectory(directory, ADDRESS)).release();
  });
});
