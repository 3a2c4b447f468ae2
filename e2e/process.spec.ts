import { expect, test } from "./test.ts";

test("a server killed in the middle of a charge resumes by itself, and the open page recovers", async ({
  api,
  threadPage,
  app,
  page,
}) => {
  const started = await api.start({ text: "Charge customer 42 20 euros" });
  await threadPage.open(started.threadId);
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await expect(threadPage.row("charge card")).toHaveAttribute("data-state", "running");
  app.kill();
  await threadPage.expectPhase("done");
  await threadPage.expectEffects(api, started, ["charge_card"]);
  await expect(page.getByRole("log")).toContainText("Cut: server process lost");
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
});

test("a server that kills itself after the effect charges once, under the same key", async ({
  api,
  threadPage,
}) => {
  const started = await api.start({
    text: "Charge customer 42 20 euros, then email her the receipt",
    temper: "forgets",
    faults: [{ at: "after_effect", as: "process_killed", action: "charge_card" }],
  });
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("done");
  await threadPage.expectEffects(api, started, ["charge_card", "send_email"]);
  const starts = (await api.events(started.runId)).filter(
    (event) => event.type === "tool_start" && "tool" in event && event["tool"] === "charge_card",
  );
  expect(
    new Set(starts.map((event) => ("idempotencyKey" in event ? event["idempotencyKey"] : ""))).size,
  ).toBe(1);
  expect(starts).toHaveLength(2);
});
