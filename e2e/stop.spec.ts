import { expect, test } from "./test.ts";

test("stopping during a call ends the run and keeps what the call did", async ({
  api,
  threadPage,
  page,
}) => {
  const started = await api.start({
    text: "Charge customer 42 20 euros, then email her the receipt",
  });
  await threadPage.open(started.threadId);
  await expect(threadPage.row("charge card")).toHaveAttribute("data-state", "running");
  await page.getByRole("button", { name: "Stop the run" }).click();
  await threadPage.expectPhase("cancelled");
  await expect(threadPage.row("charge card")).toHaveAttribute("data-state", "completed");
  await threadPage.expectEffects(api, started, ["charge_card"]);
  await expect(page.getByRole("button", { name: "Send" })).toBeVisible();
});
