/**
 * The browser's back/forward cache, which keeps a page frozen and gives it back as it was. A browser that is driven
 * has it switched off, and pages that may not be stored never get there: both are changed here.
 */
import type { Page } from "@playwright/test";
import { startTcpProxy } from "@/lib/testing/tcp-proxy.ts";
import config from "../playwright.config.ts";
import { expect, test } from "./test.ts";

test.use({
  launchOptions: {
    ...config.use?.launchOptions,
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  },
});

/** Lets the browser keep the app's pages and their data. */
async function allowToKeep(page: Page): Promise<void> {
  await page.route(/\/threads\/|\/runs$|_rsc=/, async (route) => {
    if (route.request().url().includes("/api/")) return route.continue();
    const response = await route.fetch();
    const headers = { ...response.headers(), "cache-control": "no-cache" };
    await route.fulfill({ response, headers });
  });
}

test("a page from the back/forward cache shows once what came while it was frozen without a connection", async ({
  api,
  app,
  threadPage,
  page,
}) => {
  const proxy = await startTcpProxy("127.0.0.1", app.port);
  const address = `http://127.0.0.1:${proxy.port}`;
  const started = await api.start({
    text: "Email ada@example.com the March report",
    temper: "forgets",
    faults: [{ at: "in_body", as: "gateway_timeout", action: "send_email" }],
  });
  await api.until(started.runId, "waiting");
  await allowToKeep(page);
  await threadPage.open(started.threadId, address);
  await expect(threadPage.connection).toHaveAttribute("data-connection", "live");
  await page.evaluate(() => {
    addEventListener("pageshow", (event) => Object.assign(window, { wasKept: event.persisted }));
  });
  await page.goto(`${address}/runs`);
  await page.unrouteAll({ behavior: "wait" });
  proxy.cut();
  await fetch(`${app.address}/api/runs/${started.runId}/calls/call_2_1_1/resolve`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ outcome: "absent" }),
  });
  await api.until(started.runId, "done");
  await page.goBack({ waitUntil: "commit" });
  await expect.poll(() => page.evaluate(() => "wasKept" in window && window.wasKept)).toBe(true);
  await threadPage.expectPhase("done");
  await expect(threadPage.connection).toContainText("Complete");
  await expect(threadPage.rows).toHaveCount(1);
  const events = await api.events(started.runId);
  await expect.poll(() => threadPage.lastSeq()).toBe(events.length);
  await threadPage.expectEffects(api, started, ["send_email"]);
  await proxy.close();
});
