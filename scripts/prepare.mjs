/** Brings a clone to where it can run: the right Node, its dependencies, and a build of the present sources. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "./run-command.mjs";
import { say, whileSaying } from "./say.mjs";

const NODE_MIN = [20, 19];

/** Ends the process with a sentence where Node is too old. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  say(`This needs Node ${NODE_MIN.join(".")} or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}

/** Installs the dependencies named in the lock file, unless exactly those are installed. */
export async function installDependencies() {
  const wanted = hashOf(["package.json", "package-lock.json"]);
  const mark = join("node_modules", ".durable-resume-installed");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;
  await whileSaying("Installing dependencies", async () => {
    const { code, output } = await runCommand("npm", ["ci", "--no-audit", "--no-fund"]);
    if (code !== 0) fail("The dependencies could not be installed.", output);
  });
  writeFileSync(mark, wanted);
}

const SOURCES = ["app", "components", "lib", "public"];
const CONFIGS = [
  "instrumentation.ts",
  "proxy.ts",
  "next.config.ts",
  "postcss.config.mjs",
  "tsconfig.json",
  "package-lock.json",
];

/** Builds the app, unless the build that is there was made from the present sources. */
export async function buildApp() {
  const distDir = process.env.NEXT_DIST_DIR ?? ".next";
  const wanted = hashOf([...SOURCES.flatMap(filesBelow), ...CONFIGS]);
  const mark = join(distDir, "durable-resume-sources");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;
  await whileSaying("Building the app", async () => {
    const args = [join("node_modules", "next", "dist", "bin", "next"), "build"];
    const { code, output } = await runCommand(process.execPath, args, {
      env: { NEXT_TELEMETRY_DISABLED: "1" },
    });
    if (code !== 0) fail("The app could not be built.", output);
  });
  writeFileSync(mark, wanted);
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile() && !/\.(?:test|spec)\.tsx?$/.test(path))
    .sort();
}

function hashOf(paths) {
  const hash = createHash("sha256");
  for (const path of paths) hash.update(`${path}\n`).update(readFileSync(path));
  return hash.digest("hex");
}

function fail(sentence, output) {
  process.stdout.write(output);
  say(sentence);
  process.exit(1);
}
