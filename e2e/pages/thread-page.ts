/** The thread page as a person uses it: by names, roles and words. */
import { expect, type Locator, type Page } from "@playwright/test";
import type { Api, Started } from "../api.ts";

export class ThreadPage {
  readonly page: Page;
  readonly #address: string;

  constructor(page: Page, address: string) {
    this.page = page;
    this.#address = address;
  }

  async open(threadId: string, address = this.#address): Promise<void> {
    await this.page.goto(`${address}/threads/${threadId}`);
  }

  /** Rows of the timeline: one for each thing that was wanted. */
  get rows(): Locator {
    return this.page.locator('[role="row"][data-intent]');
  }

  row(words: string): Locator {
    return this.rows.filter({ hasText: words });
  }

  /** Cards of calls in the chat, in order. */
  cards(action: string): Locator {
    return this.page.locator("article[data-call]").filter({ hasText: action });
  }

  figure(name: "Effects done" | "Repeats prevented" | "Unknown" | "Needs you"): Locator {
    return this.page.locator(`[data-figure="${name}"]`);
  }

  get phase(): Locator {
    return this.page.getByTestId("run-phase");
  }

  get connection(): Locator {
    return this.page.locator("[data-connection]");
  }

  async expectPhase(phase: string): Promise<void> {
    await expect(this.phase).toHaveAttribute("data-phase", phase, { timeout: 40_000 });
  }

  /** The effects panel and the effects API say the same. */
  async expectEffects(api: Api, { runId }: Started, wanted: readonly string[]): Promise<void> {
    await expect
      .poll(async () => (await api.effects(runId)).map(({ action }) => action))
      .toEqual(wanted);
    await expect(this.page.getByTestId("happened")).toHaveText(String(wanted.length));
    await expect(this.page.locator("[data-effect]")).toHaveCount(wanted.length);
  }

  async settle(answer: "It happened" | "It did not happen" | "Run it once more"): Promise<void> {
    await this.page.getByRole("log").getByRole("button", { name: answer }).first().click();
  }

  /** The timeline in words, as a screen reader gets it. */
  async sentences(): Promise<string[]> {
    return this.rows.evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? ""));
  }

  /** seqs of the ledger view, which has every event once. */
  async lastSeq(): Promise<number> {
    return Number(await this.page.getByTestId("run-viewer").getAttribute("data-last-seq"));
  }
}
