/**
 * A real server for the browser: the built app under its supervisor, with a data directory of its own. It can be
 * killed with SIGKILL, and is then started again by the supervisor, as in production.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface AppServer {
  readonly address: string;
  readonly port: number;
  /** Ends the server process at once, without warning. The supervisor starts another. */
  kill(): void;
  stop(): Promise<void>;
  /** Everything the supervisor and the servers have said. */
  output(): string;
  /** When the present server process said that it listens, in milliseconds since 1970. */
  readyAt(): number;
}

const READY = /ready: (http:\/\/\S+)/;

/** Starts a server and waits until it answers. */
export async function startApp(env: Readonly<Record<string, string>> = {}): Promise<AppServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "durable-resume-e2e-"));
  const supervisor = spawn(process.execPath, ["scripts/demo.mjs"], {
    env: {
      ...process.env,
      DATABASE_URL: "",
      DATA_DIR: dataDir,
      PORT: "4400",
      LEASE_MS: "1500",
      LOG_LEVEL: "error",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let readyAt = 0;
  const address = await new Promise<string>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      output += chunk.toString();
      if (chunk.includes("Ready in")) readyAt = Date.now();
      const ready = READY.exec(output)?.[1];
      if (ready !== undefined) resolve(ready);
    };
    supervisor.stdout.on("data", take);
    supervisor.stderr.on("data", take);
    supervisor.once("exit", (code) =>
      reject(new Error(`The server ended with ${code}.\n${output}`)),
    );
  });
  return {
    address,
    port: Number(new URL(address).port),
    output: () => output,
    readyAt: () => readyAt,
    kill: () => process.kill(serverOf(supervisor), "SIGKILL"),
    stop: async () => {
      const ended = new Promise((resolve) => supervisor.once("exit", resolve));
      supervisor.kill("SIGTERM");
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function serverOf(supervisor: ChildProcess): number {
  const pids = execFileSync("pgrep", ["-P", String(supervisor.pid)], { encoding: "utf8" });
  return Number(pids.trim().split("\n")[0]);
}
