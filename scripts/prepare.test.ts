/** The start and test commands as processes in a folder that is no whole clone: whatever fails is said in the end. */
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startModule, startScript } from "../lib/testing/script-process.ts";

let clone: string;
let env: Record<string, string>;

beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), "durable-resume-clone-"));
  await cp("package.json", join(clone, "package.json"));
  await cp("package-lock.json", join(clone, "package-lock.json"));
  await command("npm", 'echo "npm got $*"; exit 1');
  env = { PATH: `${join(clone, "bin")}${delimiter}${process.env["PATH"]}`, DATABASE_URL: "" };
});
afterEach(() => rm(clone, { recursive: true, force: true }));

/** A stand-in for a program on the path. */
async function command(name: string, script: string): Promise<void> {
  await mkdir(join(clone, "bin"), { recursive: true });
  await writeFile(join(clone, "bin", name), `#!/bin/sh\n${script}\n`);
  await chmod(join(clone, "bin", name), 0o755);
}

const run = (script: string) => startScript([resolve(script)], { cwd: clone, env });

it("npm test ends with its line when the dependencies can't be installed", async () => {
  const test = run("scripts/test.mjs");
  expect(await test.ended).toBe(1);
  expect(test.output()).toMatch(
    /npm got ci .*\nThe dependencies could not be installed\.\n0 passed, 1 failed\n$/,
  );
});

it("npm test ends with its line when something throws before its first step", async () => {
  await rm(join(clone, "package.json"));
  const test = run("scripts/test.mjs");
  expect(await test.ended).toBe(1);
  expect(test.output()).toMatch(/ENOENT[\s\S]*\n0 passed, 1 failed\n$/);
});

it("the demo ends with a sentence when the dependencies can't be installed", async () => {
  const demo = run("scripts/demo.mjs");
  expect(await demo.ended).toBe(1);
  expect(demo.output()).toMatch(/could not be installed\.\n$/);
});

it("installs what the build needs, also with NODE_ENV=production", async () => {
  env["NODE_ENV"] = "production";
  const demo = run("scripts/demo.mjs");
  await demo.line(/npm got ci .*--include=dev/);
  await demo.ended;
});

it.each(["test", "development"])("builds for production with NODE_ENV=%s", async (mode) => {
  for (const folder of ["app", "components", "lib", "public", "node_modules/next/dist/bin"]) {
    await mkdir(join(clone, folder), { recursive: true });
  }
  const configs = ["instrumentation.ts", "proxy.ts", "next.config.ts", "postcss.config.mjs"];
  for (const file of [...configs, "tsconfig.json"]) await writeFile(join(clone, file), "");
  await writeFile(
    join(clone, "node_modules/next/dist/bin/next"),
    'console.log("building for " + process.env.NODE_ENV); process.exit(1);',
  );
  await mkdir(join(clone, ".next"));
  await writeFile(join(clone, ".next/durable-resume-sources"), "of older sources");
  const build = startModule(
    `const { buildApp } = await load("scripts/prepare.mjs");
    await buildApp().catch((error) => console.log(error.output + error.message));`,
    { cwd: clone, env: { NODE_ENV: mode, NEXT_DIST_DIR: ".next" } },
  );
  await build.line(/building for production\n.*could not be built/);
  expect(await readdir(join(clone, ".next"))).toEqual([]);
});
