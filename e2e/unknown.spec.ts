import { startTcpProxy } from "@/lib/testing/tcp-proxy.ts";
import { expect, test } from "./test.ts";

for (const as of ["gateway_timeout", "transport_error"] as const) {
  test(`a mail cut by a ${as.replace("_", " ")} is held when asked for again, and settled by a click`, async ({
    api,
    threadPage,
    app,
  }) => {
    const proxy = await startTcpProxy("127.0.0.1", app.port);
    const started = await api.start({
      text: "Email ada@example.com the March report",
      temper: "forgets",
      faults: [{ at: "in_body", as, action: "send_email" }],
    });
    await threadPage.open(started.threadId, `http://127.0.0.1:${proxy.port}`);
    await api.untilEvent(started.runId, "attempt_ended");
    proxy.cut();
    await threadPage.expectPhase("waiting");
    await expect(threadPage.cards("send email").first()).toHaveAttribute(
      "data-state",
      "interrupted",
    );
    await expect(threadPage.cards("send email").last()).toHaveAttribute("data-state", "held");
    await expect(threadPage.figure("Needs you")).toHaveText("1");
    await threadPage.expectEffects(api, started, []);
    await threadPage.settle("It did not happen");
    await threadPage.expectPhase("done");
    await threadPage.expectEffects(api, started, ["send_email"]);
    await proxy.close();
  });
}

test("a second answer about the same call is told that it came too late", async ({ api, app }) => {
  const { runId } = await api.start({
    text: "Email ada@example.com the March report",
    temper: "forgets",
    faults: [{ at: "in_body", as: "gateway_timeout", action: "send_email" }],
  });
  await api.until(runId, "waiting");
  const answer = () =>
    fetch(`${app.address}/api/runs/${runId}/calls/call_2_1_1/resolve`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ outcome: "again" }),
    });
  const statuses = (await Promise.all([answer(), answer()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 409]);
  await api.until(runId, "done");
  expect(await api.effects(runId)).toHaveLength(1);
});
