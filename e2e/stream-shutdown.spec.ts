/** A deploy under load: the server is told to stop while many streams are open, and is started again. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { Api } from "./api.ts";
import { type Follower, follow } from "./follower.ts";
import { freePort, type PlainServer, startPlainServer } from "./plain-server.ts";

const STREAMS = 200;

let dataDir: string;
let followers: Follower[];
let servers: PlainServer[];

test.beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "durable-resume-e2e-"));
  [followers, servers] = [[], []];
});

test.afterEach(async () => {
  for (const { stream } of followers) stream.close();
  for (const server of servers) await server.kill();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(port: number): Promise<PlainServer> {
  const server = await startPlainServer(port, dataDir);
  servers.push(server);
  return server;
}

const isLive = ({ stream }: Follower) => stream.state.phase === "live";
const isBack = (follower: Follower) => follower.connections.length > 1 && isLive(follower);
const count = (has: (follower: Follower) => boolean) => followers.filter(has).length;

test("SIGTERM with 200 open streams: each is told and ended whole, the process ends by itself, and all are live again after a restart", async () => {
  const port = await freePort();
  const first = await start(port);
  const api = new Api(first.address);
  const { runId } = await api.start({
    text: "Email ada@example.com the March report",
    temper: "forgets",
    faults: [{ at: "in_body", as: "gateway_timeout", action: "send_email" }],
  });
  // It waits for a person, so that its streams stay open.
  await api.until(runId, "waiting");
  followers = Array.from({ length: STREAMS }, () => follow(first.address, runId));
  await expect.poll(() => count(isLive)).toBe(STREAMS);

  const { code, signal } = await first.stop();
  expect({ code, signal }).toEqual({ code: "0", signal: "null" });
  const lastWords = () =>
    followers.map(({ connections: [connection] }) => ({
      frame: connection?.frames.at(-1),
      reason: connection?.byeReason,
      end: connection?.end,
    }));
  const whole = { frame: "bye", reason: "shutdown", end: "clean" };
  await expect.poll(lastWords).toEqual(followers.map(() => whole));

  await start(port);
  await expect.poll(() => count(isBack)).toBe(STREAMS);
  const events = await api.events(runId);
  for (const follower of followers) expect(follower.events).toEqual(events);
});
