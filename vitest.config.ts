import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const alias = { "@": fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "") };
const exclude = ["**/node_modules/**", "**/.next/**", "e2e/**", "bench/**"];

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["**/*.test.{ts,tsx}"],
          exclude: [...exclude, "**/*.db.test.ts"],
        },
      },
      {
        resolve: { alias },
        test: {
          name: "db",
          include: ["**/*.db.test.ts"],
          exclude,
          globalSetup: ["lib/testing/postgres-server.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "bench",
          include: ["bench/**/*.bench.ts"],
          exclude: ["**/node_modules/**"],
          globalSetup: ["lib/testing/postgres-server.ts"],
          testTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
