/** From SIGKILL of the server to the next attempt of its run, under the supervisor of the demo. Needs a build. */
import { expect, test } from "vitest";
import { Api } from "@/e2e/api.ts";
import { startApp } from "@/e2e/server.ts";

const ROUNDS = 5;

async function startedAt(api: Api, runId: string, attempt: number): Promise<number> {
  for (;;) {
    const events = await api.events(runId).catch(() => []);
    const started = events.find(
      (event) => event.type === "attempt_started" && event.attempt === attempt,
    );
    if (started) return Date.parse(started.at);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("resume after SIGKILL", async () => {
  const app = await startApp();
  const api = new Api(app.address);
  const afterKill: number[] = [];
  const afterRestart: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { runId } = await api.start({ text: "Charge customer 42 20 euros" });
    await api.untilEvent(runId, "tool_start");
    const killedAt = Date.now();
    app.kill();
    const resumedAt = await startedAt(api, runId, 2);
    afterKill.push(resumedAt - killedAt);
    afterRestart.push(resumedAt - app.readyAt());
    await api.until(runId, "done");
    expect(await api.effects(runId)).toHaveLength(1);
  }
  await app.stop();
  const shown = (values: number[]) => values.sort((a, b) => a - b).join(", ");
  console.log(`resumed after SIGKILL, ms: ${shown(afterKill)}`);
  console.log(`resumed after the new server listens, ms: ${shown(afterRestart)}`);
});
