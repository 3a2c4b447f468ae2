/** The way from a clone to a served app, shared by the demo and the plain start. */
import { buildApp, checkNode, installDependencies } from "./prepare.mjs";
import { findDemo } from "./data-directory.mjs";
import { addressOf, findPort, isHealthy } from "./port.mjs";
import { say } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";
import { startServer } from "./server-process.mjs";
import { supervise } from "./supervisor.mjs";

/** Prepares, serves, prints the address; resolves with the exit code. */
export async function serve(options) {
  try {
    return await prepareAndServe(options);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(`${error.output}${error.message}`);
    return 1;
  }
}

async function prepareAndServe({ env }) {
  checkNode();
  const host = process.env.HOST || "127.0.0.1";
  const wantedPort = readPort();
  const usesServer = Boolean(process.env.DATABASE_URL);
  const running = usesServer ? undefined : await findRunning();
  if (running) {
    say(`It is already running on this data directory: ${running}`);
    return 0;
  }
  await installDependencies();
  await buildApp();
  const port = await findPort(host, wantedPort);
  const address = addressOf(host, port);
  say(
    usesServer
      ? "Opening the database …"
      : "Opening the embedded database (the first time takes about 5 s) …",
  );
  const serving = supervise((names) => startServer({ host, port, env, ...names }));
  void sayWhenReady(address);
  return serving;
}

function readPort() {
  const port = Number(process.env.PORT || 3000);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new SetupError(`PORT: expected a number from 1 to 65535, got "${process.env.PORT}".`);
}

/** Where the data directory is served already, if it is. */
async function findRunning() {
  const dataDir = process.env.DATA_DIR || ".data";
  const holder = await findDemo(dataDir);
  if (!holder || holder.address) return holder?.address;
  throw new SetupError(
    `The data directory ${dataDir} is in use by process ${holder.pid}, which does not answer. ` +
      "End that process, or set DATA_DIR to another directory.",
  );
}

async function sayWhenReady(address) {
  while (!(await isHealthy(address))) await new Promise((resolve) => setTimeout(resolve, 100));
  say("");
  say(`Durable Resume is ready: ${address}`);
  say("Stop it with Ctrl+C.");
}
