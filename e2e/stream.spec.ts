import { startTcpProxy } from "@/lib/testing/tcp-proxy.ts";
import { ThreadPage } from "./pages/thread-page.ts";
import { expect, test } from "./test.ts";

const REQUEST = "Charge customer 42 20 euros, then email her the receipt";

test("a connection cut in the middle of a call is taken up again, with nothing twice", async ({
  api,
  threadPage,
  app,
}) => {
  const proxy = await startTcpProxy("127.0.0.1", app.port);
  const started = await api.start({ text: REQUEST });
  await threadPage.open(started.threadId, `http://127.0.0.1:${proxy.port}`);
  await api.untilEvent(started.runId, "tool_start", "charge_card");
  proxy.cut();
  await api.untilEvent(started.runId, "tool_start", "send_email");
  proxy.cut();
  await threadPage.expectPhase("done");
  await expect(threadPage.rows).toHaveCount(2);
  await expect(threadPage.cards("charge card")).toHaveCount(1);
  await expect(threadPage.cards("send email")).toHaveCount(1);
  const events = await api.events(started.runId);
  await expect.poll(() => threadPage.lastSeq()).toBe(events.length);
  await threadPage.expectEffects(api, started, ["charge_card", "send_email"]);
  await proxy.close();
});

test("a reload in the middle of a run shows the same run", async ({ api, threadPage, page }) => {
  const started = await api.start({ text: REQUEST });
  await threadPage.open(started.threadId);
  await expect(threadPage.row("charge card")).toHaveAttribute("data-state", "running");
  await page.reload();
  await threadPage.expectPhase("done");
  await expect(threadPage.cards("charge card")).toHaveCount(1);
  await expect(page.getByRole("log").getByText(/I'll charge customer 42/)).toHaveCount(1);
  await threadPage.expectEffects(api, started, ["charge_card", "send_email"]);
});

test("a second tab sees the same run", async ({ api, threadPage, context, app }) => {
  const started = await api.start({
    text: REQUEST,
    temper: "forgets",
    faults: [{ at: "after_done", as: "transport_error", action: "charge_card" }],
  });
  await threadPage.open(started.threadId);
  const second = new ThreadPage(await context.newPage(), app.address);
  await second.open(started.threadId);
  await threadPage.expectPhase("done");
  await second.expectPhase("done");
  expect(await second.sentences()).toEqual(await threadPage.sentences());
  await second.expectEffects(api, started, ["charge_card", "send_email"]);
  await threadPage.expectEffects(api, started, ["charge_card", "send_email"]);
});

test("the stream is not compressed, and its frames with ids are the events alone", async ({
  api,
  app,
}) => {
  const { runId } = await api.start({ text: "How many open tickets are there?" });
  const response = await fetch(`${app.address}/api/runs/${runId}/events`, {
    headers: { "accept-encoding": "gzip, br" },
  });
  const body = await response.text();
  expect(response.headers.get("content-encoding")).toBeNull();
  const ids = [...body.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual((await api.events(runId)).map(({ seq }) => seq));
  expect(body.trimEnd().split("\n").at(-2)).toBe("event: end");
});
