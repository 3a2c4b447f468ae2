/** Brings a clone to where it can run: the right Node, its dependencies, and a build of the present sources. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "./run-command.mjs";
import { whileSaying } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";

const NODE_MIN = [20, 19];

/** Throws a SetupError where Node is too old; so do the functions below where their command fails. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new SetupError(
    `This needs Node ${NODE_MIN.join(".")} or newer; this is Node ${process.versions.node}.`,
  );
}

/** Installs the dependencies named in the lock file, unless exactly those are installed. */
export async function installDependencies() {
  const wanted = hashOf(["package.json", "package-lock.json"]);
  const mark = join("node_modules", ".durable-resume-installed");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;
  await whileSaying("Installing dependencies", async () => {
    // The build needs the development dependencies, which NODE_ENV=production would leave out.
    const args = ["ci", "--include=dev", "--no-audit", "--no-fund"];
    const { code, output } = await runCommand("npm", args);
    if (code !== 0) throw new SetupError("The dependencies could not be installed.", output);
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
  // A build that fails leaves the old one in pieces.
  rmSync(mark, { force: true });
  await whileSaying("Building the app", async () => {
    const args = [join("node_modules", "next", "dist", "bin", "next"), "build"];
    const { code, output } = await runCommand(process.execPath, args, {
      // Whatever the caller has in NODE_ENV: Next builds only for production.
      env: { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
    });
    if (code !== 0) throw new SetupError("The app could not be built.", output);
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
