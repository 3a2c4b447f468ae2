/** Finds a free port, and tells whether a server answers at an address. */
import { createServer } from "node:net";
import { say } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";

const TRIES = 50;

/** The wanted port, or the next free one; says so when it had to move. */
export async function findPort(host, wanted) {
  for (let port = wanted; port < wanted + TRIES; port += 1) {
    if (await isFree(host, port)) {
      if (port !== wanted) say(`Port ${wanted} is taken by another program; using ${port}.`);
      return port;
    }
  }
  throw new SetupError(`No free port from ${wanted} to ${wanted + TRIES - 1}.`);
}

function isFree(host, port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/** Where this machine reaches a server that listens on `host`; the twin of lib/address.ts. */
export function addressOf(host, port) {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::" || host === "[::]") return `http://[::1]:${port}`;
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}

/** Whether a server of this project answers there. */
export async function isHealthy(address) {
  try {
    const response = await fetch(`${address}/api/health`, { signal: AbortSignal.timeout(2_000) });
    const body = await response.json();
    return typeof body?.database === "string" && typeof body?.sweeper === "string";
  } catch {
    // Not there yet, or something else.
    return false;
  }
}
