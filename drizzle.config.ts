/** Where drizzle-kit finds the schema and puts the migrations. It runs offline: `npm run db:generate`. */
import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./lib/store/schema.ts",
  out: "./drizzle",
  casing: "snake_case",
});
