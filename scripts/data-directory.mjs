/** Finds out who has a data directory, before the server itself would fail on its lock. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isHealthy } from "./port.mjs";
import { isAlive } from "./process-identity.mjs";
import { say } from "./say.mjs";

const WAIT_MS = 30_000;
const POLL_MS = 100;

/**
 * The live process that has this directory: its `pid`, and its `address` once it answers there. Waits for one that
 * is still starting, and says so. undefined = nobody has it.
 */
export async function findDemo(dataDir, waitMs = WAIT_MS) {
  const until = Date.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    const holder = readHolder(dataDir);
    if (!holder) return undefined;
    const { pid, address } = holder;
    if (address !== null && (await isHealthy(address))) return { pid, address };
    if (Date.now() >= until) return { pid };
    if (isFirst) {
      say(
        `Process ${pid} has ${dataDir} and does not answer yet; waiting up to ${waitMs / 1_000} s.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** What lib/store/data-directory-lock.ts wrote, if the process that it names lives. */
function readHolder(dataDir) {
  try {
    const { pid, processStart, boot, address } = JSON.parse(
      readFileSync(join(dataDir, "owner.json"), "utf8"),
    );
    const isRight =
      Number.isSafeInteger(pid) &&
      pid > 0 &&
      [processStart, boot, address].every((field) => field === null || typeof field === "string");
    return isRight && isAlive({ pid, processStart, boot }) ? { pid, address } : undefined;
  } catch {
    // No file, or one that a crash of the machine left half: then there is nobody to name.
    return undefined;
  }
}
