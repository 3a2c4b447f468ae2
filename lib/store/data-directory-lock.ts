/**
 * One process per data directory: PGlite does not notice a second one. The lock is the file `owner.json` in the
 * directory. Invariants: it appears and changes as a whole; a live holder is never robbed; a dead one's lock is
 * taken over by exactly one of its contenders.
 *
 * The file, for other programs: one JSON object
 *   { "pid": 4711, "processStart": "8812345", "boot": "3f0c…", "address": "http://127.0.0.1:3000", "token": "…" }
 * `address` is where the holder serves, or null. The holder is alive if a process `pid` exists, is no zombie, and
 * started at `processStart`: field 22 of /proc/<pid>/stat on Linux, the text of `ps -o lstart= -p <pid>` elsewhere;
 * null = unknown, then the pid decides. `boot` is /proc/sys/kernel/random/boot_id, or null.
 *
 * Taking over: a contender that found holder T dead makes `owner.json.steal-<T>`, a lock like this one. Only its
 * holder may replace T's file, after looking that it still is T's. T never comes back, so a contender that comes
 * late finds another token and begins anew. A stealer that dies is itself taken over in the same way.
 */
import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { dataDirectoryLocked } from "../core/errors.ts";
import { isRecord } from "../core/event-fields.ts";
import { identifySelf, isAlive, type ProcessIdentity } from "./process-identity.ts";

export interface DirectoryHolder extends ProcessIdentity {
  readonly address: string | null;
  /** Unique for each taking of the lock. */
  readonly token: string;
}

export interface DirectoryLock {
  /** Gives the lock back. Doing it twice changes nothing. */
  release(): Promise<void>;
}

/** How long a contender lets another one take over before it calls the directory locked. Milliseconds. */
const STEAL_WAIT_MS = 2_000;
const STEAL_POLL_MS = 20;

/**
 * Locks the directory for this process, making it if need be.
 * Throws `data-directory-locked` with the holder's address while another process, or this one, has it.
 */
export async function lockDataDirectory(
  directory: string,
  address: string | undefined,
): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true });
  const path = ownerFile(directory);
  const claim = { ...identifySelf(), address: address ?? null, token: randomUUID() };
  const holder = await take(path, claim);
  if (holder) throw dataDirectoryLocked(directory, holder.address ?? undefined);
  return { release: () => removeOwn(path, claim.token) };
}

/** The live process that has the directory, if there is one. */
export async function readDataDirectoryHolder(
  directory: string,
): Promise<DirectoryHolder | undefined> {
  const holder = await read(ownerFile(directory));
  return holder && isAlive(holder) ? holder : undefined;
}

function ownerFile(directory: string): string {
  return join(directory, "owner.json");
}

/** Takes a lock file; returns the live holder that has it instead. */
async function take(path: string, claim: DirectoryHolder): Promise<DirectoryHolder | undefined> {
  for (let waitedMs = 0; ;) {
    if (await create(path, claim)) return undefined;
    const holder = await read(path);
    if (!holder) continue;
    if (isAlive(holder)) return holder;
    const stealer = await steal(path, holder, claim);
    if (stealer === undefined) return undefined;
    if (stealer === "changed") continue;
    if (waitedMs >= STEAL_WAIT_MS) return stealer;
    waitedMs += STEAL_POLL_MS;
    await new Promise((resolve) => setTimeout(resolve, STEAL_POLL_MS));
  }
}

/** Replaces a dead holder's file; returns who is doing it already, or that it is not the dead one's any more. */
async function steal(
  path: string,
  dead: DirectoryHolder,
  claim: DirectoryHolder,
): Promise<DirectoryHolder | "changed" | undefined> {
  const stealPath = `${path}.steal-${dead.token}`;
  const stealer = await take(stealPath, claim);
  if (stealer) return stealer;
  try {
    if ((await read(path))?.token !== dead.token) return "changed";
    const whole = await writeWhole(path, claim);
    await rename(whole, path);
    await rm(temporaryFile(path, dead.token), { force: true });
    return undefined;
  } finally {
    await rm(stealPath, { force: true });
  }
}

/** Makes the file with its whole content, or not at all: a link to a finished file fails if the name is taken. */
async function create(path: string, claim: DirectoryHolder): Promise<boolean> {
  const whole = await writeWhole(path, claim);
  try {
    await link(whole, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(whole, { force: true });
  }
}

async function writeWhole(path: string, claim: DirectoryHolder): Promise<string> {
  const whole = temporaryFile(path, claim.token);
  const file = await open(whole, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(claim)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return whole;
}

function temporaryFile(path: string, token: string): string {
  return `${path}.new-${token}`;
}

async function removeOwn(path: string, token: string): Promise<void> {
  // Nobody replaces a live holder's file, so it can't change between the look and the removal.
  if ((await read(path))?.token === token) await rm(path, { force: true });
}

/** A file that is no lock of ours reads as one of a dead process: only a crash of the machine leaves such a file. */
const UNREADABLE: DirectoryHolder = {
  pid: 0,
  processStart: "",
  boot: null,
  address: null,
  token: "unreadable",
};

async function read(path: string): Promise<DirectoryHolder | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : UNREADABLE;
  } catch {
    return UNREADABLE;
  }
}

function isHolder(value: unknown): value is DirectoryHolder {
  if (!isRecord(value)) return false;
  const { pid, processStart, boot, address, token } = value;
  const isTextOrNull = (field: unknown) => field === null || typeof field === "string";
  return (
    Number.isSafeInteger(pid) &&
    typeof token === "string" &&
    /^[\w-]+$/.test(token) &&
    [processStart, boot, address].every(isTextOrNull)
  );
}
