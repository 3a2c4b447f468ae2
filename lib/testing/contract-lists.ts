/** Lists, and who may see what. */
import { expect } from "vitest";
import { asOwnerId, type RunId } from "../core/ids.ts";
import type { RunQuery } from "../core/ports.ts";
import type { RunRecord } from "../core/run-record.ts";
import { codeOf, type Rule, type Scene } from "./contract-scene.ts";
import { transcriptOf } from "./transcript.ts";

const said = (text: string) => ({ input: { kind: "message", text } }) as const;

async function textsOf(scene: Scene, query: Partial<RunQuery>): Promise<string[]> {
  const { runs } = await scene.store.runs.listRuns({ ownerId: scene.ownerId, limit: 50, ...query });
  return runs.map(textOf);
}

const textOf = ({ input }: RunRecord) => (input.kind === "message" ? input.text : input.action);

export function listRules(rule: Rule): void {
  rule(
    "pages of runs go from the newest to the oldest, and a new run shifts nothing",
    async (scene) => {
      for (let n = 1; n <= 5; n += 1) await scene.run(said(`request ${n}`));
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query = { ownerId: scene.ownerId, limit: 2, ...(cursor !== null && { cursor }) };
        const page = await scene.store.runs.listRuns(query);
        seen.push(...page.runs.map(textOf));
        cursor = page.next;
        await scene.run(said("meanwhile"));
      } while (cursor !== null);
      expect(seen).toEqual([5, 4, 3, 2, 1].map((n) => `request ${n}`));
    },
  );

  rule("the last page says that it is the last, also when it is full", async (scene) => {
    await scene.run(said("one"));
    await scene.run(said("two"));
    const page = await scene.store.runs.listRuns({ ownerId: scene.ownerId, limit: 2 });
    expect({ texts: page.runs.map(textOf), next: page.next }).toEqual({
      texts: ["two", "one"],
      next: null,
    });
  });

  rule("runs are found by status and by the words of their request", async (scene) => {
    await scene.run(said("Email Ada the March report"));
    await scene.run(said("Charge customer 42: 100%"));
    await scene.append(await scene.claimed("worker-1", said("Email Bob")), { type: "run_done" });
    expect(await textsOf(scene, { status: "done" })).toEqual(["Email Bob"]);
    expect(await textsOf(scene, { text: "email" })).toEqual([
      "Email Bob",
      "Email Ada the March report",
    ]);
    expect(await textsOf(scene, { text: "report  ada" })).toEqual(["Email Ada the March report"]);
    expect(await textsOf(scene, { text: "email", status: "done" })).toEqual(["Email Bob"]);
    // What has a meaning in a pattern is a character like any other.
    expect(await textsOf(scene, { text: "0%" })).toEqual(["Charge customer 42: 100%"]);
    expect(await textsOf(scene, { text: "2%1" })).toEqual([]);
    expect(await textsOf(scene, { text: "c_arge" })).toEqual([]);
  });

  rule("what is not a cursor is refused", async (scene) => {
    for (const cursor of ["", "abc", "-1", "r", "r-1", "r1.5", "\u0000", "r".padEnd(400, "9")]) {
      const page = scene.store.runs.listRuns({ ownerId: scene.ownerId, limit: 2, cursor });
      expect([cursor, await codeOf(page)]).toEqual([cursor, "invalid-cursor"]);
    }
  });

  rule("threads are listed by their last activity, with what they are at", async (scene) => {
    const first = await scene.thread();
    const second = await scene.thread();
    const lease = await scene.claimed("worker-1", { threadId: first, ...said("Email Ada") });
    const { runs } = scene.store;
    const list = async () =>
      (await runs.listThreads(scene.ownerId, 10)).map(({ createdAt: _at, ...thread }) => thread);
    const idle = { ownerId: scene.ownerId, title: "", activeRunId: null, lastRunStatus: null };
    const busy = { title: "Email Ada", activeRunId: lease.runId, lastRunStatus: "running" };
    expect(await list()).toEqual([
      { ...idle, ...busy, id: first },
      { ...idle, id: second },
    ]);
    await scene.append(lease, { type: "run_done" });
    await scene.run({ threadId: second, ...said("Charge Bob") });
    const [newest, older] = await list();
    expect(newest).toMatchObject({ id: second, title: "Charge Bob" });
    expect(older).toEqual({
      ...idle,
      ...busy,
      id: first,
      activeRunId: null,
      lastRunStatus: "done",
    });
    expect(await runs.listThreads(scene.ownerId, 1)).toHaveLength(1);
  });

  rule("a thread keeps its first title and lists its runs oldest first", async (scene) => {
    const threadId = await scene.thread();
    for (const text of ["first", "second", "third"]) {
      const lease = await scene.claimed("worker-1", { threadId, ...said(text) });
      await scene.append(lease, { type: "run_done" });
    }
    const runs = await scene.store.runs.listThreadRuns(threadId);
    expect(runs.map(textOf)).toEqual(["first", "second", "third"]);
    expect((await scene.store.runs.getThread(scene.ownerId, threadId)).title).toBe("first");
  });

  rule("heads tell where runs stand and leave out what is unknown", async (scene) => {
    const lease = await scene.claimed();
    await scene.append(lease, { type: "attempt_started" });
    const ended = await scene.ended({ type: "run_done" });
    const asked = [lease.runId, scene.newRunId(), ended.runId];
    const heads = await scene.store.runs.heads(asked);
    const byId = new Map(heads.map(({ leaseLeftMs: _left, ...head }) => [head.runId, head]));
    const shared = { attempts: 1, fence: 1, nextTryAt: null };
    expect(byId).toEqual(
      new Map<RunId, object>([
        [
          lease.runId,
          { runId: lease.runId, ...shared, lastSeq: 2, status: "running", leaseOwner: "worker-1" },
        ],
        [
          ended.runId,
          { runId: ended.runId, ...shared, lastSeq: 4, status: "done", leaseOwner: null },
        ],
      ]),
    );
    expect(await scene.store.runs.heads([])).toEqual([]);
  });

  rule("the calls of several runs come in order and without their results", async (scene) => {
    const one = await scene.claimed();
    const done = { type: "tool_done", callId: "sent", result: { body: "long" } } as const;
    const start = { type: "tool_start", callId: "sent" } as const;
    await scene.append(one, { type: "text" }, start, done, { type: "clear", scope: "text" });
    const two = await scene.waiting();
    const calls = await scene.store.runs.listCallEvents([one.runId, two.runId]);
    expect(transcriptOf(calls.get(one.runId) ?? [])).toEqual([
      "3 tool_start send_email #sent",
      "4 tool_done send_email #sent ok",
      "5 clear text",
    ]);
    expect(transcriptOf(calls.get(two.runId) ?? [])).toEqual([
      "4 tool_start send_email #sent",
      "8 tool_held send_email #asked of 4",
    ]);
    expect(JSON.stringify([...calls.values()])).not.toContain("long");
  });
}

export function ownerRules(rule: Rule): void {
  rule("nobody sees another owner's threads and runs", async (scene) => {
    const eve = asOwnerId(scene.newId("eve"));
    const run = await scene.run();
    const { runs } = scene.store;
    expect(await codeOf(runs.getThread(eve, run.threadId))).toBe("thread-not-found");
    expect(await codeOf(runs.getRun(eve, run.id))).toBe("run-not-found");
    expect(await runs.listThreads(eve, 10)).toEqual([]);
    expect(await runs.listRuns({ ownerId: eve, limit: 10 })).toEqual({ runs: [], next: null });
    const theirs = await scene.request({ ownerId: eve });
    const inHers = runs.createRun({ ...theirs, threadId: run.threadId });
    expect(await codeOf(inHers)).toBe("thread-not-found");
  });

  rule("what was never made is not found", async (scene) => {
    const { runs } = scene.store;
    const threadId = scene.newId("thr") as Parameters<typeof runs.getThread>[1];
    expect(await codeOf(runs.getThread(scene.ownerId, threadId))).toBe("thread-not-found");
    expect(await codeOf(runs.getRun(scene.ownerId, scene.newRunId()))).toBe("run-not-found");
    expect(await runs.listThreadRuns(threadId)).toEqual([]);
  });
}
