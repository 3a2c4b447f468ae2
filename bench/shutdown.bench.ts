/** SIGTERM with many open streams: how long until the process is gone, and until all are live after its restart. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Follower, follow } from "../e2e/follower.ts";
import { freePort, type PlainServer, startPlainServer } from "../e2e/plain-server.ts";

const STREAMS = 200;
const ROUNDS = 5;

const isLive = ({ stream }: Follower) => stream.state.phase === "live";
const until = (isTrue: () => boolean) =>
  expect.poll(isTrue, { timeout: 60_000, interval: 10 }).toBe(true);

test(`SIGTERM with ${STREAMS} streams`, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "durable-resume-bench-"));
  const port = await freePort();
  let server = await startPlainServer(port, dataDir);
  const runId = await startWaitingRun(server);
  const followers = Array.from({ length: STREAMS }, () => follow(server.address, runId));
  const exits: number[] = [];
  const answers: number[] = [];
  const backs: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    await until(() => followers.every(isLive));
    exits.push((await server.stop()).tookMs);
    server = await startPlainServer(port, dataDir);
    const listensAt = performance.now();
    const isBack = (each: Follower) => each.connections.length > round && isLive(each);
    // A request made while the database is being opened waits for it.
    await fetch(`${server.address}/api/health`);
    answers.push(performance.now() - listensAt);
    await until(() => followers.every(isBack));
    backs.push(performance.now() - listensAt);
  }
  console.log(`SIGTERM with ${STREAMS} streams: exit after ${list(exits)} ms`);
  console.log(`from listening to the first answer: ${list(answers)} ms`);
  console.log(`from listening to all live again: ${list(backs)} ms`);
  for (const { stream } of followers) stream.close();
  await server.kill();
  await rm(dataDir, { recursive: true, force: true });
});

const list = (times: readonly number[]) => times.map((ms) => ms.toFixed(0)).join(", ");

/** It waits for a person's answer, so that its streams stay open. */
async function startWaitingRun({ address }: PlainServer): Promise<string> {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(address + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { threadId: string; runId: string };
  };
  const { threadId } = await post("/api/threads", {});
  const { runId } = await post(`/api/threads/${threadId}/messages`, {
    text: "Email ada@example.com the March report",
    model: { temper: "forgets" },
    faults: [{ at: "in_body", as: "gateway_timeout", action: "send_email" }],
  });
  const status = async () => {
    const answer = await fetch(`${address}/api/runs/${runId}`);
    return ((await answer.json()) as { run: { status: string } }).run.status;
  };
  await expect.poll(status, { timeout: 60_000 }).toBe("waiting");
  return runId;
}
