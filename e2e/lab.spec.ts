import { expect, test } from "./test.ts";

test("a cut armed in the lab happens in the next run, and a live run can be cut by hand", async ({
  api,
  threadPage,
  page,
  app,
}) => {
  const { threadId } = (await (
    await fetch(`${app.address}/api/threads`, { method: "POST" })
  ).json()) as { threadId: string };
  await threadPage.open(threadId);
  const lab = page.getByTestId("lab");
  await lab.getByRole("combobox", { name: "After a resume the model" }).selectOption("forgets");
  await lab.getByRole("combobox", { name: "Action", exact: true }).selectOption("charge_card");
  await lab.getByRole("combobox", { name: "How", exact: true }).selectOption("soft_timeout");
  await lab.getByRole("button", { name: "Arm for the next run" }).click();
  await expect(lab.getByRole("list", { name: "Armed cuts" })).toContainText(
    "Cut attempt 1 at charge_card",
  );
  await page
    .getByRole("textbox", { name: "Message" })
    .fill("Charge customer 42 20 euros, then email her the receipt");
  await page.keyboard.press("Enter");
  await expect(threadPage.row("send email")).toHaveAttribute("data-state", "running");
  await lab.getByRole("combobox", { name: "Cut the live run" }).selectOption("lease_lost");
  await lab.getByRole("button", { name: "Cut now" }).click();
  await expect(threadPage.figure("Repeats prevented")).not.toHaveText("0");
  const { runs } = (await (await fetch(`${app.address}/api/threads/${threadId}`)).json()) as {
    runs: { id: string }[];
  };
  const runId = runs[0]?.id ?? "";
  await expect.poll(async () => (await api.run(runId)).run.status).not.toBe("running");
  // The replaced owner's mail may have gone out before it noticed: a person looks at the world, then answers.
  const mails = (await api.effects(runId)).filter(({ action }) => action === "send_email").length;
  if ((await api.run(runId)).run.status === "waiting") {
    await threadPage.settle(mails === 1 ? "It happened" : "It did not happen");
  }
  await threadPage.expectPhase("done");
  await threadPage.expectEffects(api, { threadId, runId }, ["charge_card", "send_email"]);
  expect((await api.run(runId)).run.attempts).toBeGreaterThanOrEqual(3);
});
