/**
 * Tells whether a process that wrote down who it is still runs. A pid alone is not enough: it is given again to
 * another process, so the moment the process started belongs to it, and the boot of the machine.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export interface ProcessIdentity {
  readonly pid: number;
  /** On Linux field 22 of /proc/<pid>/stat, elsewhere what `ps -o lstart=` prints; null = could not be found out. */
  readonly processStart: string | null;
  /** On Linux the id of the machine's boot, else null. */
  readonly boot: string | null;
}

export function identifySelf(): ProcessIdentity {
  return { pid: process.pid, processStart: startOf(process.pid) ?? null, boot: readBoot() };
}

/** Tells whether that very process runs. What can't be found out counts as alive: nobody is robbed on a guess. */
export function isAlive({ pid, processStart, boot }: ProcessIdentity): boolean {
  if (!exists(pid)) return false;
  const currentBoot = readBoot();
  if (boot !== null && currentBoot !== null && boot !== currentBoot) return false;
  const currentStart = startOf(pid);
  if (currentStart === undefined) return false;
  return processStart === null || currentStart === null || processStart === currentStart;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When the process started; undefined = there is no such process, null = could not be found out. */
function startOf(pid: number): string | null | undefined {
  if (process.platform === "linux") return startInProc(pid);
  try {
    const answer = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return answer.trim() || null;
  } catch {
    // No `ps` here, as on Windows: the pid has to do.
    return null;
  }
}

function startInProc(pid: number): string | null | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name stands in parentheses and may hold spaces and parentheses; the fields after it start with the third.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  // A killed process that its parent has not waited for.
  if (state === "Z" || state === "X") return undefined;
  return fields[22 - 3] ?? null;
}

function readBoot(): string | null {
  return readText("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not there: that is the answer.
    return undefined;
  }
}
