/**
 * Measures what a browser loads before the thread page works: the gzipped size of every script that its HTML names.
 * Fails above the limit. Needs a build; serves it on a free port for the time of the measurement.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { findPort, isHealthy } from "./port.mjs";
import { say } from "./say.mjs";

/** Kilobytes. Source: Next and React take 131 of them. */
const LIMIT_KB = 200;

const dataDir = mkdtempSync(join(tmpdir(), "durable-resume-size-"));
const port = await findPort("127.0.0.1", 4700);
const address = `http://127.0.0.1:${port}`;
const args = [
  join("node_modules", "next", "dist", "bin", "next"),
  "start",
  "-H",
  "127.0.0.1",
  "-p",
  String(port),
];
const env = {
  ...process.env,
  NODE_ENV: "production",
  NEXT_MANUAL_SIG_HANDLE: "true",
  DATABASE_URL: "",
  DATA_DIR: dataDir,
  LOG_LEVEL: "error",
  LAB: "1",
};
const server = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
let isTooLarge = true;
try {
  for (let tries = 0; !(await isHealthy(address)); tries += 1) {
    if (tries > 300 || server.exitCode !== null) throw new Error("the server did not start");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { threadId } = await (await fetch(`${address}/api/threads`, { method: "POST" })).json();
  const html = await (await fetch(`${address}/threads/${threadId}`)).text();
  const scripts = [
    ...new Set(
      [...html.matchAll(/<script[^>]+src="(\/_next\/[^"]+\.js)[^"]*"[^>]*>/g)]
        .filter(([tag]) => !/nomodule/i.test(tag))
        .map(([, src]) => src),
    ),
  ];
  const sizes = scripts.map((src) => ({
    src,
    kb:
      gzipSync(readFileSync(join(process.env.NEXT_DIST_DIR ?? ".next", src.replace("/_next/", ""))))
        .length / 1024,
  }));
  const total = sizes.reduce((sum, { kb }) => sum + kb, 0);
  for (const { src, kb } of sizes.sort((a, b) => b.kb - a.kb))
    say(`${kb.toFixed(1).padStart(7)} KB  ${src}`);
  say(
    `First load of the thread page: ${total.toFixed(1)} KB gzipped in ${scripts.length} scripts (limit ${LIMIT_KB} KB)`,
  );
  isTooLarge = total > LIMIT_KB || scripts.length === 0;
} finally {
  server.kill("SIGTERM");
  await new Promise((resolve) => server.once("exit", resolve));
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(isTooLarge ? 1 : 0);
