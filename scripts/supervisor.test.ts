/** The supervisor as a process, over stand-in servers that live and die as they are told. */
import { afterEach, expect, it } from "vitest";
import { type ScriptProcess, startModule } from "../lib/testing/script-process.ts";

const NEVER_MS = 600_000;
const STUBBORN = `process.on("SIGTERM", () => console.log("no"));
  setInterval(() => {}, 1_000);
  console.log("server " + process.pid + " is up");`;
const DYING = `console.log("server of " + process.env.PREDECESSORS + "."); process.kill(process.pid, "SIGKILL");`;

let running: ScriptProcess[] = [];
afterEach(async () => {
  for (const each of running) each.signal("SIGKILL");
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
});

/** Supervises a server whose source is given. */
function supervise(server: string, times: Readonly<Record<string, number>>): ScriptProcess {
  const supervisor = startModule(
    `
    const { spawn } = await import("node:child_process");
    const { supervise } = await load("scripts/supervisor.mjs");
    const args = ["--import", process.env.DIE, "--eval", ${JSON.stringify(server)}];
    process.exitCode = await supervise(
      ({ owner, predecessors }) => {
        console.log(owner + " starts");
        return spawn(process.execPath, args, {
          stdio: ["pipe", "inherit", "inherit"],
          env: { ...process.env, DIE_WITH_PARENT: "1", PREDECESSORS: predecessors.join(",") },
        });
      },
      ${JSON.stringify(times)},
    );
    process.exit();`,
    { env: { DIE: new URL("die-with-parent.mjs", import.meta.url).href } },
  );
  running.push(supervisor);
  return supervisor;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it.each(["SIGTERM", "SIGINT"] as const)(
  "%s in the pause before a restart ends it",
  async (signal) => {
    const supervisor = supervise("process.exit(3)", { quickDeathMs: 0, pauseMs: NEVER_MS });
    await supervisor.line(/died \(exit code 3\); starting it again/);
    supervisor.signal(signal);
    expect(await supervisor.ended).toBe(0);
    expect(supervisor.output().match(/starts/g)).toHaveLength(1);
  },
);

it("a server that does not end when it is told to is killed after a while", async () => {
  const supervisor = supervise(STUBBORN, { killAfterMs: 50 });
  const [, pid] = await supervisor.line(/server (\d+) is up/);
  supervisor.signal("SIGTERM");
  await supervisor.line(/did not end within 0.05 s: killing it/);
  expect(await supervisor.ended).toBe(1);
  expect(isRunning(Number(pid))).toBe(false);
});

it("a second signal kills a server that does not end", async () => {
  const supervisor = supervise(STUBBORN, { killAfterMs: NEVER_MS, echoMs: 0 });
  const [, pid] = await supervisor.line(/server (\d+) is up/);
  supervisor.signal("SIGINT");
  await supervisor.line(/no\n/);
  supervisor.signal("SIGINT");
  expect(await supervisor.ended).toBe(1);
  expect(isRunning(Number(pid))).toBe(false);
});

it("a server that ends in order when it is told to decides the exit code", async () => {
  const server = `process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1_000); console.log("up");`;
  const supervisor = supervise(server, {});
  await supervisor.line(/up\n/);
  supervisor.signal("SIGTERM");
  expect(await supervisor.ended).toBe(0);
});

it("does not start a server again whose data directory somebody else has", async () => {
  const supervisor = supervise("process.exit(75)", { quickDeathMs: 0, pauseMs: 0 });
  expect(await supervisor.ended).toBe(75);
  expect(supervisor.output()).toContain("Another process has the data directory; stopping.");
  expect(supervisor.output().match(/starts/g)).toHaveLength(1);
});

it("names all dead predecessors to a new server, up to twenty", async () => {
  const supervisor = supervise(DYING, { pauseMs: 0 });
  const owners: string[] = [];
  for (let round = 0; round < 23; round += 1) {
    const [, owner = ""] = await supervisor.line(/(own_\w+) starts\n/);
    const [, predecessors] = await supervisor.line(/server of (.*)\.\n/);
    expect(predecessors).toBe(owners.slice(-20).join(","));
    owners.push(owner);
  }
});
