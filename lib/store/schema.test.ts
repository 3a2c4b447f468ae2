import { readFile } from "node:fs/promises";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";
import { expect, it } from "vitest";
import * as schema from "./schema.ts";

it("has a migration for each of its changes (`npm run db:generate` makes one)", async () => {
  const journal = JSON.parse(await readFile("drizzle/meta/_journal.json", "utf8")) as {
    entries: { idx: number }[];
  };
  const last = String(journal.entries.at(-1)?.idx).padStart(4, "0");
  const text = await readFile(`drizzle/meta/${last}_snapshot.json`, "utf8");
  const committed = JSON.parse(text) as ReturnType<typeof generateDrizzleJson>;
  const current = generateDrizzleJson(schema, committed.id, undefined, "snake_case");
  expect(await generateMigration(committed, current)).toEqual([]);
});
