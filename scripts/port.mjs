/** Finds a free port, and a demo that already serves a data directory. */
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { say } from "./say.mjs";

const TRIES = 50;

/** The wanted port, or the next free one; says so when it had to move. */
export async function findPort(host, wanted) {
  for (let port = wanted; port < wanted + TRIES; port += 1) {
    if (await isFree(host, port)) {
      if (port !== wanted) say(`Port ${wanted} is taken by another program; using ${port}.`);
      return port;
    }
  }
  throw new Error(`No free port from ${wanted} to ${wanted + TRIES - 1}.`);
}

function isFree(host, port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/** Address of a server that has this data directory and answers, or undefined. */
export async function findDemo(dataDir) {
  let address;
  try {
    ({ address } = JSON.parse(readFileSync(join(dataDir, "owner.json"), "utf8")));
  } catch {
    // No holder, or a file that is just being written: then there is nobody to name.
    return undefined;
  }
  return typeof address === "string" && (await isHealthy(address)) ? address : undefined;
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
