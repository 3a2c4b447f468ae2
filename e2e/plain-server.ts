/** The server process itself, with no supervisor to start it again: told to stop and started as a deploy does. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { startModule } from "@/lib/testing/script-process.ts";

export interface PlainServer {
  readonly address: string;
  /** Tells it to stop, as a process manager does, and waits until it is gone. */
  stop(): Promise<Ended>;
  /** Ends it at once if it is still there. */
  kill(): Promise<void>;
}

interface Ended {
  /** "null" = killed by a signal. */
  readonly code: string;
  readonly signal: string;
  readonly tookMs: number;
}

const CODE = `
  const { buildApp } = await load("scripts/prepare.mjs");
  const { startServer } = await load("scripts/server-process.mjs");
  await buildApp();
  const { HOST: host, PORT: port } = process.env;
  const child = startServer({ host, port, env: { LAB: "1" }, owner: "own_" + process.pid, predecessors: [] });
  console.log("server process " + child.pid + ".");
  child.on("exit", (code, signal) => console.log("server ended: " + code + ", " + signal + "."));
`;

/** Starts it on a port and a data directory, and waits until it listens. */
export async function startPlainServer(port: number, dataDir: string): Promise<PlainServer> {
  const env = {
    DATABASE_URL: "",
    DATA_DIR: dataDir,
    HOST: "127.0.0.1",
    PORT: String(port),
    LEASE_MS: "1500",
    LOG_LEVEL: "error",
  };
  const script = startModule(CODE, { env });
  const pid = Number((await script.line(/server process (\d+)\./))[1]);
  await script.line(/Ready in/);
  return {
    address: `http://127.0.0.1:${port}`,
    stop: async () => {
      const askedAt = performance.now();
      process.kill(pid, "SIGTERM");
      const [, code = "", signal = ""] = await script.line(/server ended: (\w+), (\w+)\./);
      const tookMs = performance.now() - askedAt;
      await script.ended;
      return { code, signal, tookMs };
    },
    // The server ends with the process that started it.
    kill: async () => {
      script.signal("SIGKILL");
      await script.ended;
    },
  };
}

/** A port that is free now; the system gives it to nobody else soon. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
