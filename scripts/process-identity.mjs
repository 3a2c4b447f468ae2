/**
 * Tells whether the process that wrote down who it is still runs; the twin of lib/store/process-identity.ts, which
 * this Node can't load before the build. A pid alone is not enough: it is given again to another process.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What can't be found out counts as alive: nobody is robbed on a guess. */
export function isAlive({ pid, processStart, boot }) {
  if (!exists(pid)) return false;
  const currentBoot = readText("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
  if (boot !== null && currentBoot !== null && boot !== currentBoot) return false;
  const currentStart = process.platform === "linux" ? startInProc(pid) : startInPs(pid);
  if (currentStart === undefined) return false;
  return processStart === null || currentStart === null || processStart === currentStart;
}

function exists(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists and belongs to somebody else.
    return error.code === "EPERM";
  }
}

/** undefined = there is no such process, null = could not be found out. */
function startInProc(pid) {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name stands in parentheses and may hold spaces and parentheses; the fields after it start with the third.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Z and X: a killed process that its parent has not waited for.
  return fields[0] === "Z" || fields[0] === "X" ? undefined : (fields[22 - 3] ?? null);
}

function startInPs(pid) {
  try {
    const options = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], options).trim() || null;
  } catch {
    // No `ps` here, as on Windows: the pid has to do.
    return null;
  }
}

function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not there: that is the answer.
    return undefined;
  }
}
