/** Leave: asked before the first start, bound to the call, kept over a restart, given or refused once. */
import { expect, test } from "./test.ts";

const ASKED = "Charge customer 42 20000 euros";

test("a charge that needs leave is asked about, survives a restart of the server, and runs once", async ({
  api,
  app,
  threadPage,
  page,
}) => {
  const started = await api.start({ text: ASKED });
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("waiting");
  const card = page.getByRole("log").locator("[data-question='approval']");
  await expect(card).toContainText("May “charge card” be done?");
  await threadPage.expectEffects(api, started, []);
  const before = app.readyAt();
  app.kill();
  await expect.poll(() => app.readyAt(), { timeout: 30_000 }).toBeGreaterThan(before);
  await page.reload();
  await card.getByRole("button", { name: "Allow it once" }).click();
  await threadPage.expectPhase("done");
  await threadPage.expectEffects(api, started, ["charge_card"]);
  const approvals = (await api.events(started.runId)).filter(({ type }) => type === "tool_held");
  expect(approvals).toHaveLength(1);
});

test("a charge that was refused is never made, and the model is told", async ({
  api,
  threadPage,
  page,
}) => {
  const started = await api.start({ text: ASKED });
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("waiting");
  await page.getByRole("log").getByRole("button", { name: "Refuse" }).click();
  await threadPage.expectPhase("done");
  await threadPage.expectEffects(api, started, []);
});

test("a preview says what a resume would do with each write", async ({ api, app }) => {
  const { runId } = await api.start({
    text: "Email ada@example.com the March report and open a ticket about it",
    temper: "forgets",
    faults: [{ at: "in_body", as: "gateway_timeout", action: "send_email" }],
  });
  await api.until(runId, "waiting");
  const preview = (await (await fetch(`${app.address}/api/runs/${runId}/resume`)).json()) as {
    canResume: boolean;
    calls: { tool: string; plan: string }[];
  };
  expect(preview.canResume).toBe(false);
  expect(preview.calls[0]).toMatchObject({ tool: "send_email", plan: "hold" });
});
