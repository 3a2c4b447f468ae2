/** The way from a clone to a served app, shared by the demo and the plain start. */
import { buildApp, checkNode, installDependencies } from "./prepare.mjs";
import { findDemo, findPort, isHealthy } from "./port.mjs";
import { say } from "./say.mjs";
import { startServer } from "./server-process.mjs";
import { supervise } from "./supervisor.mjs";

/** Prepares, serves, prints the address; resolves with the exit code. */
export async function serve({ env }) {
  checkNode();
  const host = process.env.HOST || "127.0.0.1";
  const wantedPort = Number(process.env.PORT || 3000);
  if (!Number.isInteger(wantedPort) || wantedPort < 1 || wantedPort > 65_535) {
    say(`PORT: expected a number from 1 to 65535, got "${process.env.PORT}".`);
    return 1;
  }
  const dataDir = process.env.DATA_DIR || ".data";
  const usesServer = Boolean(process.env.DATABASE_URL);
  const running = usesServer ? undefined : await findDemo(dataDir);
  if (running) {
    say(`It is already running on this data directory: ${running}`);
    return 0;
  }
  await installDependencies();
  await buildApp();
  const port = await findPort(host, wantedPort);
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  say(
    usesServer
      ? "Opening the database …"
      : "Opening the embedded database (the first time takes about 5 s) …",
  );
  const serving = supervise((names) => startServer({ host, port, env, ...names }));
  void sayWhenReady(address);
  return serving;
}

async function sayWhenReady(address) {
  while (!(await isHealthy(address))) await new Promise((resolve) => setTimeout(resolve, 100));
  say("");
  say(`Durable Resume is ready: ${address}`);
  say("Stop it with Ctrl+C.");
}
