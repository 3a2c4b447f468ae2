/** Who has a data directory, told from the file that a live or dead process left there. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lockDataDirectory } from "../lib/store/data-directory-lock.ts";
import { identifySelf, isAlive as isAliveInLib } from "../lib/store/process-identity.ts";
import { type ScriptProcess, startModule } from "../lib/testing/script-process.ts";
import { findDemo } from "./data-directory.mjs";
import { isAlive } from "./process-identity.mjs";

let directory: string;
let server: Server;
let address: string;
let isReady: boolean;
let running: ScriptProcess[];

beforeEach(async () => {
  running = [];
  isReady = true;
  directory = await mkdtemp(join(tmpdir(), "durable-resume-find-"));
  server = createServer((_, response) => {
    response.statusCode = isReady ? 200 : 503;
    response.end(isReady ? JSON.stringify({ database: "ok", sweeper: "ok" }) : "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const each of running) each.signal("SIGKILL");
  server.close();
  await rm(directory, { recursive: true, force: true });
});

const writeOwner = (facts: object) =>
  writeFile(
    join(directory, "owner.json"),
    JSON.stringify({ ...identifySelf(), address, token: "t", ...facts }),
  );

/** Looks for the holder in a process of its own, which says what it waits for. */
function find(waitMs: number): ScriptProcess {
  const finder = startModule(`
    const { findDemo } = await load("scripts/data-directory.mjs");
    const found = await findDemo(${JSON.stringify(directory)}, ${waitMs});
    console.log("found " + JSON.stringify(found ?? null));`);
  running.push(finder);
  return finder;
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid ?? 0;
}

it("names a live holder that answers", async () => {
  const lock = await lockDataDirectory(directory, address);
  expect(await findDemo(directory)).toEqual({ pid: process.pid, address });
  await lock.release();
  expect(await findDemo(directory)).toBeUndefined();
});

it.each([
  ["is gone", async () => ({ pid: await deadPid(), processStart: null })],
  ["has left its pid to another", () => ({ processStart: "1" })],
  ["ran before the machine's last start", () => ({ boot: "another" })],
])("ignores a holder that %s, although its address answers", async (_, facts) => {
  await writeOwner(await facts());
  expect(await findDemo(directory)).toBeUndefined();
});

it.each(["{", "{}", '"text"', '{"pid":0,"processStart":null,"boot":null,"address":null}'])(
  "a file that is no lock names nobody: %s",
  async (text) => {
    await writeFile(join(directory, "owner.json"), text);
    expect(await findDemo(directory)).toBeUndefined();
  },
);

it("waits for a holder that is starting", async () => {
  isReady = false;
  await writeOwner({});
  const finder = find(600_000);
  await finder.line(new RegExp(`Process ${process.pid} has .* does not answer yet`));
  isReady = true;
  await finder.line(new RegExp(`found .*${address}`));
});

it("names the process of a holder that never answers", async () => {
  isReady = false;
  await writeOwner({});
  expect(await findDemo(directory, 0)).toEqual({ pid: process.pid });
});

it("goes on when the holder it waits for gives the directory back", async () => {
  await writeOwner({ address: null });
  const finder = find(600_000);
  await finder.line(/does not answer yet/);
  await rm(join(directory, "owner.json"));
  await finder.line(/found null/);
});

it("agrees with the lock on who is alive", async () => {
  const self = identifySelf();
  const dead = { ...self, pid: await deadPid() };
  for (const each of [self, dead, { ...self, processStart: "1" }, { ...self, boot: null }]) {
    expect(isAlive(each)).toBe(isAliveInLib(each));
  }
});
