import { expect, test } from "./test.ts";

test("a plain run does each write once and says what it did", async ({
  api,
  threadPage,
  page,
  app,
}) => {
  await page.goto(app.address);
  await page
    .getByRole("textbox", { name: "Message" })
    .fill("Email ada@example.com the March report and open a ticket about it");
  await page.getByRole("button", { name: "Send" }).click();
  await page.waitForURL(/\/threads\//);
  await threadPage.expectPhase("done");
  await expect(threadPage.rows).toHaveCount(2);
  await expect(threadPage.figure("Effects done")).toHaveText("2");
  await expect(page.getByRole("log")).toContainText("was sent to ada@example.com");
  const threadId = page.url().split("/").at(-1) ?? "";
  const { runs } = (await (await fetch(`${app.address}/api/threads/${threadId}`)).json()) as {
    runs: { id: string }[];
  };
  await threadPage.expectEffects(api, { threadId, runId: runs[0]?.id ?? "" }, [
    "send_email",
    "create_ticket",
  ]);
});

test("reads run again after a resume", async ({ api, threadPage }) => {
  const started = await api.start({
    text: "How many open tickets are there?",
    temper: "forgets",
    faults: [{ at: "after_done", as: "gateway_timeout", action: "list_tickets" }],
  });
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("done");
  const starts = (await api.events(started.runId)).filter(({ type }) => type === "tool_start");
  expect(starts).toHaveLength(2);
  await expect(threadPage.figure("Repeats prevented")).toHaveText("0");
  await threadPage.expectEffects(api, started, []);
});

test("a call with another identity runs after a resume", async ({ api, threadPage }) => {
  const started = await api.start({
    text: "Email ada@example.com the March report and email ada@example.com the April report",
    temper: "forgets",
    faults: [{ at: "after_done", as: "transport_error", action: "send_email" }],
  });
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("done");
  await threadPage.expectEffects(api, started, ["send_email", "send_email"]);
  const subjects = (await api.effects(started.runId)).map(
    ({ input }) => (input as { subject: string }).subject,
  );
  expect(subjects).toEqual(["March report", "April report"]);
  await expect(threadPage.figure("Repeats prevented")).toHaveText("1");
});
