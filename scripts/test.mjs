/**
 * `npm test`: everything, on a fresh machine. Sets up what it needs, then runs each check as a line of its own, shows
 * all output of one that failed, and ends with one line: `N passed, N failed`.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildApp, checkNode, installDependencies } from "./prepare.mjs";
import { runCommand } from "./run-command.mjs";
import { say } from "./say.mjs";

const REPORTS = join("test-results", "reports");
const counted = { passed: 0, failed: 0, skipped: 0 };

checkNode();
await installDependencies();
rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });

await check("format", "npx", ["prettier", "--check", "--log-level", "warn", "."]);
await check("lint", "npx", ["eslint", ".", "--max-warnings", "0"]);
await check("types", "npm", ["run", "--silent", "types"]);
await check("dead code", "npx", ["knip", "--no-progress", "--no-config-hints"]);
await vitest("unit");
await vitest("db");
await step("build", async () => {
  await buildApp();
  return one(true);
});
await check("first load", process.execPath, ["scripts/first-load.mjs"]);
await step("browser", async () => {
  const { findBrowser } = await import("./browser.mjs");
  const { path, what } = await findBrowser();
  say(`  ${what}`);
  process.env.CHROMIUM_PATH = path;
  return one(path !== "");
});
await playwright();

if (counted.skipped > 0) say(`${counted.skipped} skipped`);
say(`${counted.passed} passed, ${counted.failed} failed`);
process.exit(counted.failed > 0 || counted.passed === 0 ? 1 : 0);

/** A check that is right or wrong as a whole. */
function check(name, command, args) {
  return step(name, async () => {
    const { code, output } = await runCommand(command, args);
    return { ...one(code === 0), output };
  });
}

function vitest(project) {
  return step(`${project} tests`, async () => {
    const file = join(REPORTS, `${project}.json`);
    const args = [
      "vitest",
      "run",
      "--project",
      project,
      "--reporter=default",
      "--reporter=json",
      `--outputFile=${file}`,
    ];
    const { code, output } = await runCommand("npx", args, { env: { NO_COLOR: "1" } });
    const report = readReport(file);
    const passed = report?.numPassedTests ?? 0;
    const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
    // A file that did not even load has no tests to count, and is a failure all the same.
    const failed = Math.max(report?.numFailedTests ?? 0, code === 0 && passed > 0 ? 0 : 1);
    return { passed, failed, skipped, output };
  });
}

function playwright() {
  return step("end to end", async () => {
    const file = join(REPORTS, "e2e.json");
    const env = { NO_COLOR: "1", PLAYWRIGHT_JSON_OUTPUT_NAME: file };
    const { code, output } = await runCommand(
      "npx",
      ["playwright", "test", "--reporter=list,json"],
      { env },
    );
    const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = readReport(file)?.stats ?? {};
    const failed = Math.max(unexpected + flaky, code === 0 && expected > 0 ? 0 : 1);
    return { passed: expected, failed, skipped, output };
  });
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // It ended before it could report: counted as one failure by the caller.
    return undefined;
  }
}

function one(isRight) {
  return { passed: isRight ? 1 : 0, failed: isRight ? 0 : 1, skipped: 0 };
}

async function step(name, work) {
  const since = Date.now();
  say(`${name} …`);
  const { passed, failed, skipped, output = "" } = await work();
  if (failed > 0) process.stdout.write(`${output}\n`);
  counted.passed += passed;
  counted.failed += failed;
  counted.skipped += skipped;
  const time = `${((Date.now() - since) / 1000).toFixed(1)} s`;
  say(`${failed > 0 ? "✗" : "✓"} ${name}: ${passed} right, ${failed} wrong (${time})`);
}
