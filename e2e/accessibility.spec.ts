import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import { expect, test } from "./test.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })",
  )) as { readonly violations: readonly Violation[] };
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
  );
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`every screen passes the automatic checks in ${colorScheme}`, async ({ api, app, page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const done = await api.start({
      text: "Charge customer 42 20 euros",
      temper: "forgets",
      faults: [{ at: "after_done", as: "gateway_timeout", action: "charge_card" }],
    });
    const held = await api.start({
      text: "Email ada@example.com the March report",
      temper: "forgets",
      faults: [{ at: "in_body", as: "gateway_timeout", action: "send_email" }],
    });
    await api.until(done.runId, "done");
    await api.until(held.runId, "waiting");
    const places = [
      "/",
      `/threads/${done.threadId}`,
      `/threads/${held.threadId}`,
      "/runs",
      `/runs/${done.runId}?call=call_2_1_1`,
    ];
    for (const place of places) {
      await page.goto(app.address + place);
      await expect(page.getByRole("main")).toBeVisible();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      expect(await violations(page), place).toEqual([]);
    }
  });
}

test("a held call is settled with the keyboard alone", async ({ api, threadPage, page }) => {
  const started = await api.start({
    text: "Email ada@example.com the March report",
    temper: "forgets",
    faults: [{ at: "in_body", as: "gateway_timeout", action: "send_email" }],
  });
  await threadPage.open(started.threadId);
  await threadPage.expectPhase("waiting");
  await threadPage.rows.first().focus();
  await page.keyboard.press("Enter");
  const details = page.getByRole("complementary", { name: "Details of the call" });
  await expect(details).toBeVisible();
  await details.getByRole("button", { name: "It did not happen" }).focus();
  await page.keyboard.press("Enter");
  await threadPage.expectPhase("done");
  await threadPage.expectEffects(api, started, ["send_email"]);
});
