/** The server's routes as a test calls them, from outside the browser. */
import { expect } from "@playwright/test";
import type { Effect, Fault, RunStatus, Temper } from "@/lib/core/run-record.ts";
import type { RunEvent } from "@/lib/core/event.ts";

export interface Started {
  readonly threadId: string;
  readonly runId: string;
}

export interface Plan {
  readonly text: string;
  readonly temper?: Temper;
  readonly faults?: readonly Fault[];
}

export class Api {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  async start({ text, temper = "heeds", faults = [] }: Plan): Promise<Started> {
    const { threadId } = await this.#post<{ threadId: string }>("/api/threads", {});
    const body = { text, model: { temper }, faults };
    const { runId } = await this.#post<{ runId: string }>(
      `/api/threads/${threadId}/messages`,
      body,
    );
    return { threadId, runId };
  }

  async run(runId: string) {
    return this.#get<{
      run: { status: RunStatus; attempts: number };
      counts: Record<string, number>;
    }>(`/api/runs/${runId}`);
  }

  async effects(runId: string): Promise<Effect[]> {
    return (await this.#get<{ effects: Effect[] }>(`/api/effects?runId=${runId}`)).effects;
  }

  async events(runId: string): Promise<RunEvent[]> {
    const path = `/api/runs/${runId}/events?limit=1000`;
    return (await this.#get<{ events: RunEvent[] }>(path)).events;
  }

  /** Waits until the run has the status. */
  async until(runId: string, status: RunStatus): Promise<void> {
    await expect
      .poll(async () => (await this.run(runId)).run.status, { timeout: 40_000 })
      .toBe(status);
  }

  /** Waits until the run's ledger has an event of the type, of that action where one is named. */
  async untilEvent(runId: string, type: string, tool?: string): Promise<void> {
    const has = async () =>
      (await this.events(runId)).some(
        (event) =>
          event.type === type &&
          (tool === undefined || ("tool" in event && event["tool"] === tool)),
      );
    await expect.poll(has, { timeout: 20_000, intervals: [50] }).toBe(true);
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(this.#address + path, { headers: { accept: "application/json" } });
    expect(response.status, path).toBe(200);
    return (await response.json()) as T;
  }

  async #post<T>(path: string, body: unknown): Promise<T> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.#address + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    expect(response.ok, `${path}: ${response.status}`).toBe(true);
    return (await response.json()) as T;
  }
}
