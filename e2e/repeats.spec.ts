import { expect, test } from "./test.ts";

test("a repeat of a completed write is shown blocked and reaches the world once", async ({
  api,
  threadPage,
  page,
}) => {
  const started = await api.start({
    text: "Charge customer 42 20 euros",
    temper: "forgets",
    faults: [{ at: "after_done", as: "gateway_timeout", action: "charge_card" }],
  });
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("done");
  await expect(threadPage.rows).toHaveCount(1);
  await expect(threadPage.figure("Repeats prevented")).toHaveText("1");
  await expect(page.getByText("Not run again — already done in attempt 1.")).toBeVisible();
  await expect(page.getByRole("log")).toContainText("Cut: gateway time-out");
  await threadPage.expectEffects(api, started, ["charge_card"]);
  await page.getByRole("tab", { name: "Notes" }).click();
  await expect(
    page.getByText("Completed (reuse the results; do not run these again)"),
  ).toBeVisible();
});

test("two soft time-outs make three attempts, and each credit is used once in each", async ({
  api,
  threadPage,
}) => {
  const started = await api.start({
    text: "Charge customer 42 20 euros, then email her the receipt",
    temper: "forgets",
    faults: [
      { at: "after_done", as: "soft_timeout", action: "charge_card", attempt: 1 },
      { at: "after_done", as: "soft_timeout", action: "send_email", attempt: 2 },
    ],
  });
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("done");
  expect((await api.run(started.runId)).run.attempts).toBe(3);
  await expect(threadPage.figure("Repeats prevented")).toHaveText("3");
  await expect(threadPage.rows).toHaveCount(2);
  await threadPage.expectEffects(api, started, ["charge_card", "send_email"]);
});

test("three wanted mails are three when the first one's outcome was stored", async ({
  api,
  threadPage,
}) => {
  const started = await api.start({
    text: "Email ada@example.com the March report",
    temper: "repeats",
    faults: [{ at: "after_done", as: "gateway_timeout", action: "send_email" }],
  });
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("done");
  await threadPage.expectEffects(api, started, ["send_email", "send_email", "send_email"]);
});

test("three wanted mails are three when the first one's effect is settled as landed", async ({
  api,
  threadPage,
}) => {
  const started = await api.start({
    text: "Email ada@example.com the March report",
    temper: "repeats",
    faults: [{ at: "after_effect", as: "gateway_timeout", action: "send_email" }],
  });
  await threadPage.open(started.threadId);
  // Its late outcome may settle it first: the body had its effect and ends after the cut.
  await expect
    .poll(async () => (await api.run(started.runId)).run.status, { timeout: 30_000 })
    .not.toBe("running");
  if ((await api.run(started.runId)).run.status === "waiting")
    await threadPage.settle("It happened");
  await threadPage.expectPhase("done");
  await threadPage.expectEffects(api, started, ["send_email", "send_email", "send_email"]);
});
