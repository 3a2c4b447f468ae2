import { expect, test } from "./test.ts";

test.use({ settings: { UNKNOWN_WRITES: "model" } });

test("an interrupted mail runs when the model is trusted to check and asks again", async ({
  api,
  threadPage,
}) => {
  const started = await api.start({
    text: "Email ada@example.com the March report",
    temper: "forgets",
    faults: [{ at: "in_body", as: "gateway_timeout", action: "send_email" }],
  });
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("done");
  await expect(threadPage.figure("Needs you")).toHaveText("0");
  await threadPage.expectEffects(api, started, ["send_email"]);
});
