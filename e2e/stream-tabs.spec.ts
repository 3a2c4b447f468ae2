/** One run in several tabs of one browser, in a tab that is hidden, and in one that comes back from elsewhere. */
import type { BrowserContext, Page } from "@playwright/test";
import { startTcpProxy } from "@/lib/testing/tcp-proxy.ts";
import type { Api, Started } from "./api.ts";
import { ThreadPage } from "./pages/thread-page.ts";
import { expect, test } from "./test.ts";

/** Streams of one browser at most. Source: STREAM, "Server". */
const STREAMS_MAX = 4;

/** A run that waits for a person: it stays live for as long as a test likes. */
async function startWaitingRun(api: Api): Promise<Started> {
  const started = await api.start({
    text: "Email ada@example.com the March report",
    temper: "forgets",
    faults: [{ at: "in_body", as: "gateway_timeout", action: "send_email" }],
  });
  await api.until(started.runId, "waiting");
  return started;
}

async function openStreams(address: string): Promise<number> {
  const answer = await fetch(`${address}/api/health`);
  return ((await answer.json()) as { openStreams: number }).openStreams;
}

/** As another person's click does. */
async function settleFromElsewhere(address: string, { runId }: Started): Promise<void> {
  const answer = await fetch(`${address}/api/runs/${runId}/calls/call_2_1_1/resolve`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ outcome: "absent" }),
  });
  expect(answer.status).toBe(200);
}

/** A browser that is driven never hides a page by itself. */
async function turn(page: Page, to: "hidden" | "visible"): Promise<void> {
  await page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
    document.dispatchEvent(new Event("visibilitychange"));
  }, to);
}

async function expectAllOnce(api: Api, threadPage: ThreadPage, { runId }: Started): Promise<void> {
  const events = await api.events(runId);
  await expect.poll(() => threadPage.lastSeq()).toBe(events.length);
}

/** Opens the run in one more tab, as it is then shown to be connected. */
async function openTab(
  context: BrowserContext,
  { address, threadId }: { readonly address: string; readonly threadId: string },
  connection: "live" | "slow",
): Promise<ThreadPage> {
  const tab = new ThreadPage(await context.newPage(), address);
  await tab.open(threadId);
  await tab.expectPhase("waiting");
  await expect(tab.connection).toHaveAttribute("data-connection", connection);
  return tab;
}

test("six tabs are open on a live run, and a seventh loads, shows it and settles it for all", async ({
  api,
  app,
  context,
}) => {
  const started = await startWaitingRun(api);
  const place = { address: app.address, threadId: started.threadId };
  const tabs: ThreadPage[] = [];
  for (const connection of ["live", "live", "live", "live", "slow", "slow"] as const) {
    tabs.push(await openTab(context, place, connection));
  }
  expect(await openStreams(app.address)).toBe(STREAMS_MAX);
  const seventh = await openTab(context, place, "slow");
  expect(await openStreams(app.address)).toBe(STREAMS_MAX);
  await seventh.settle("It did not happen");
  await seventh.expectPhase("done");
  for (const tab of tabs) {
    await tab.expectPhase("done");
    await expectAllOnce(api, tab, started);
    await expect(tab.connection).toHaveAttribute("data-connection", "ended");
    expect(await tab.sentences()).toEqual(await seventh.sentences());
  }
  await seventh.expectEffects(api, started, ["send_email"]);
});

test("a closed tab's slot goes to one that polled", async ({ api, app, context }) => {
  const { threadId } = await startWaitingRun(api);
  const place = { address: app.address, threadId };
  const first = await openTab(context, place, "live");
  for (let more = 1; more < STREAMS_MAX; more += 1) await openTab(context, place, "live");
  const last = await openTab(context, place, "slow");
  await first.page.close();
  await expect(last.connection).toHaveAttribute("data-connection", "live");
  expect(await openStreams(app.address)).toBe(STREAMS_MAX);
});

test("a hidden tab gives its slot to a visible one, and has everything when it is looked at", async ({
  api,
  app,
  context,
}) => {
  const started = await startWaitingRun(api);
  const place = { address: app.address, threadId: started.threadId };
  const hidden = await openTab(context, place, "live");
  for (let more = 1; more < STREAMS_MAX; more += 1) await openTab(context, place, "live");
  await turn(hidden.page, "hidden");
  // It polls until the slot is free, and then streams.
  const visible = await openTab(context, place, "live");
  const before = await hidden.lastSeq();
  await visible.settle("It did not happen");
  await visible.expectPhase("done");
  expect(await hidden.lastSeq()).toBe(before);
  await turn(hidden.page, "visible");
  await hidden.expectPhase("done");
  await expectAllOnce(api, hidden, started);
});

test("a tab hidden for 2 min closes its stream, keeps what it shows, and has everything when it is looked at", async ({
  api,
  app,
  threadPage,
  page,
}) => {
  const started = await startWaitingRun(api);
  await page.clock.install();
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("waiting");
  await expect(threadPage.connection).toHaveAttribute("data-connection", "live");
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  const before = await threadPage.lastSeq();
  await turn(page, "hidden");
  await page.clock.fastForward(31_000);
  await expect.poll(() => openStreams(app.address)).toBe(0);
  await settleFromElsewhere(app.address, started);
  await api.until(started.runId, "done");
  await page.clock.fastForward(90_000);
  expect(await threadPage.lastSeq()).toBe(before);
  expect(await openStreams(app.address)).toBe(0);
  await turn(page, "visible");
  await threadPage.expectPhase("done");
  await expectAllOnce(api, threadPage, started);
  await threadPage.expectEffects(api, started, ["send_email"]);
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
});

test("a page that comes back by the browser's button shows every event once, and is live again", async ({
  api,
  app,
  threadPage,
  page,
}) => {
  const proxy = await startTcpProxy("127.0.0.1", app.port);
  const started = await startWaitingRun(api);
  await threadPage.open(started.threadId, `http://127.0.0.1:${proxy.port}`);
  await threadPage.expectPhase("waiting");
  await page.goto(`http://127.0.0.1:${proxy.port}/runs`);
  await page.goBack();
  await threadPage.expectPhase("waiting");
  await expect(threadPage.connection).toHaveAttribute("data-connection", "live");
  await expectAllOnce(api, threadPage, started);
  // As from the back/forward cache, whose pages have lost their connections.
  proxy.cut();
  await page.evaluate(() =>
    window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })),
  );
  await settleFromElsewhere(app.address, started);
  await threadPage.expectPhase("done");
  await expect(threadPage.connection).toContainText("Complete");
  await expectAllOnce(api, threadPage, started);
  await expect(threadPage.rows).toHaveCount(1);
  await threadPage.expectEffects(api, started, ["send_email"]);
  await proxy.close();
});
