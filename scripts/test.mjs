/**
 * `npm test`: everything, on a fresh machine. Sets up what it needs, then runs each check as a line of its own, shows
 * all output of one that failed, and ends with one line: `N passed, N failed`.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildApp, checkNode, installDependencies } from "./prepare.mjs";
import { runCommand } from "./run-command.mjs";
import { say } from "./say.mjs";
import { one, Tally } from "./tally.mjs";

const REPORTS = join("test-results", "reports");
const tally = new Tally();

// Also what no step could catch ends with the line.
process.on("uncaughtException", (error) => {
  tally.fail(error);
  process.exit(tally.end());
});
// Each check sets its own, or none.
delete process.env.NODE_ENV;

if (await setUp()) {
  await check("format", "npx", ["prettier", "--check", "--log-level", "warn", "."]);
  await check("lint", "npx", ["eslint", ".", "--max-warnings", "0"]);
  await check("types", "npm", ["run", "--silent", "types"]);
  await check("dead code", "npx", ["knip", "--no-progress", "--no-config-hints"]);
  await vitest("unit");
  await vitest("db");
  if (await build()) await checksOfTheBuild();
  else say("The checks that need a build are left out.");
}
process.exit(tally.end());

/** Not counted when it is right: it checks nothing. */
async function setUp() {
  try {
    checkNode();
    await installDependencies();
    rmSync(REPORTS, { recursive: true, force: true });
    mkdirSync(REPORTS, { recursive: true });
    return true;
  } catch (error) {
    tally.fail(error);
    return false;
  }
}

function build() {
  return tally.step("build", async () => {
    await buildApp();
    return one(true);
  });
}

async function checksOfTheBuild() {
  await check("first load", process.execPath, ["scripts/first-load.mjs"]);
  await tally.step("browser", async () => {
    const { findBrowser } = await import("./browser.mjs");
    const { path, what } = await findBrowser();
    say(`  ${what}`);
    process.env.CHROMIUM_PATH = path;
    return one(path !== "");
  });
  await playwright();
}

/** A check that is right or wrong as a whole. */
function check(name, command, args) {
  return tally.step(name, async () => {
    const { code, output } = await runCommand(command, args);
    return { ...one(code === 0), output };
  });
}

function vitest(project) {
  return tally.step(`${project} tests`, async () => {
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
  return tally.step("end to end", async () => {
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
