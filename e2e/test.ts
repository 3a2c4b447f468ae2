/** What the browser tests share: one server for each worker, its API, and the thread page. */
import { test as base } from "@playwright/test";
import { Api } from "./api.ts";
import { ThreadPage } from "./pages/thread-page.ts";
import { type AppServer, startApp } from "./server.ts";

interface PerWorker {
  /** Settings of the server, set by a spec with `test.use`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly app: AppServer;
}

interface PerTest {
  readonly api: Api;
  readonly threadPage: ThreadPage;
}

export const test = base.extend<PerTest, PerWorker>({
  settings: [{}, { scope: "worker", option: true }],
  app: [
    async ({ settings }, use) => {
      const app = await startApp(settings);
      await use(app);
      await app.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  api: async ({ app }, use) => {
    await use(new Api(app.address));
  },
  threadPage: async ({ page, app }, use) => {
    await use(new ThreadPage(page, app.address));
  },
});

export { expect } from "@playwright/test";
