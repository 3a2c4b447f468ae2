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

for (const { at, found, starts } of [
  { at: "after_effect", found: "landed", starts: 1 },
  { at: "in_body", found: "absent", starts: 2 },
] as const) {
  test(`a server that kills itself ${at} of a charge: the check says ${found}, and it is charged once`, async ({
    api,
    threadPage,
  }) => {
    const started = await api.start({
      text: "Charge customer 42 20 euros, then email her the receipt",
      temper: "forgets",
      faults: [{ at, as: "process_killed", action: "charge_card" }],
    });
    await threadPage.open(started.threadId);
    await threadPage.expectPhase("done");
    await threadPage.expectEffects(api, started, ["charge_card", "send_email"]);
    const events = await api.events(started.runId);
    expect(events.find(({ type }) => type === "tool_resolved")).toMatchObject({
      by: "verify",
      outcome: found,
    });
    const keys = events.flatMap((event) =>
      event.type === "tool_start" && "tool" in event && event["tool"] === "charge_card"
        ? [(event as { idempotencyKey?: string }).idempotencyKey]
        : [],
    );
    expect([keys.length, new Set(keys).size]).toEqual([starts, 1]);
  });
}
