/** Starts the server as a process of its own, which ends when this one does. */
import { spawn } from "node:child_process";
import { join } from "node:path";

/** `owner` is its name on the leases it takes; those of its dead `predecessors` end when it comes up. */
export function startServer({ host, port, env, owner, predecessors }) {
  const args = [
    "--import",
    new URL("./die-with-parent.mjs", import.meta.url).href,
    join("node_modules", "next", "dist", "bin", "next"),
    "start",
    "-H",
    host,
    "-p",
    String(port),
  ];
  return spawn(process.execPath, args, {
    // Its standard input is a pipe from us: when we die, it ends, and so does the server.
    stdio: ["pipe", "inherit", "inherit"],
    // A group of its own: Ctrl+C reaches it through us, once.
    detached: true,
    env: {
      ...process.env,
      ...env,
      HOST: host,
      PORT: String(port),
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      NEXT_MANUAL_SIG_HANDLE: "true",
      DIE_WITH_PARENT: "1",
      RUNNER_OWNER: owner,
      ...(predecessors.length > 0 && { RUNNER_PREDECESSOR: predecessors.join(",") }),
    },
  });
}
