/** The rules of the house that a compiler does not check. Each failure says the rule and what to do about it. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDERS = ["app", "components", "lib"];

interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** Files of this project that it imports, by path; types included. */
  readonly imports: readonly {
    readonly path: string;
    readonly given: string;
    readonly isType: boolean;
  }[];
}

const SOURCES: readonly Source[] = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => /\.tsx?$/.test(path)),
).map(readSource);

const isTest = (path: string) => /\.test\.tsx?$/.test(path) || path.startsWith("lib/testing/");
const SHIPPED = SOURCES.filter(({ path }) => !isTest(path));

function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), "utf8");
  const found = [
    ...text.matchAll(
      /^(?:import|export)\s+(type\s)?(?:[^"']*?\sfrom\s+)?"(\.{1,2}\/[^"]+|@\/[^"]+)";/gm,
    ),
  ];
  const imports = found.map(([, type, given = ""]) => ({
    path: given.startsWith("@/") ? given.slice(2) : normalize(join(dirname(path), given)),
    given,
    isType: type !== undefined,
  }));
  return { path, text, lines: text.split("\n").length, imports };
}

test("every import of the project's own files is found", () => {
  const known = new Set(SOURCES.map(({ path }) => path));
  const missing = SOURCES.flatMap(({ path, imports }) =>
    imports
      .filter((each) => /\.tsx?$/.test(each.path) && !known.has(each.path))
      .map((each) => `${path} → ${each.given}`),
  );
  expect(missing).toEqual([]);
  expect(SOURCES.flatMap(({ imports }) => imports).length).toBeGreaterThan(300);
});

test("shipped code never imports lib/testing: move what both need into the layer it belongs to", () => {
  const wrong = SHIPPED.flatMap(({ path, imports }) =>
    imports
      .filter((each) => each.path.startsWith("lib/testing/"))
      .map(({ given }) => `${path} → ${given}`),
  );
  expect(wrong).toEqual([]);
});

test("a relative import climbs one level at most: name the folder with @/ instead", () => {
  const wrong = SOURCES.filter(({ path }) => !path.startsWith("app/")).flatMap(
    ({ path, imports }) =>
      imports
        .filter(({ given }) => given.startsWith("../../"))
        .map(({ given }) => `${path} → ${given}`),
  );
  expect(wrong).toEqual([]);
});

test("no import cycle: what two files need of each other is a third file", () => {
  const graph = new Map(
    SHIPPED.map(({ path, imports }) => [
      path,
      imports.filter(({ isType }) => !isType).map((each) => each.path),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    if (done.has(path) || trail.includes(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  expect(cycles).toEqual([]);
});

test("a file has at most 400 lines: split it by what it does", () => {
  expect(
    SHIPPED.filter(({ lines }) => lines > 400).map(({ path, lines }) => `${path}: ${lines}`),
  ).toEqual([]);
});

test("no file is called after nothing in particular, and none only passes others on", () => {
  const banned = /(?:^|[/-])(?:utils?|helpers?|common|misc|manager)(?:[-.]|$)/;
  const barrels = SHIPPED.filter(({ path }) => /(?:^|\/)index\.tsx?$/.test(path));
  expect(SOURCES.filter(({ path }) => banned.test(path)).map(({ path }) => path)).toEqual([]);
  expect(barrels.map(({ path }) => path)).toEqual([]);
});

test("only lib/env.ts reads the environment of a running server", () => {
  const readers = SHIPPED.filter(({ text }) => /process\.env/.test(text)).map(({ path }) => path);
  expect(readers).toEqual(["lib/env.ts"]);
});

test("lib/core runs in a browser: it imports itself, zod and a hash, and nothing of Node", () => {
  const allowed = /^(?:\.\/|zod$|@noble\/hashes\/)/;
  const wrong = SHIPPED.filter(({ path }) => path.startsWith("lib/core/")).flatMap(
    ({ path, text }) =>
      [...text.matchAll(/^(?:import|export)[^"']*?from\s+"([^"]+)";/gm)]
        .map(([, given = ""]) => given)
        .filter((given) => !allowed.test(given))
        .map((given) => `${relative("lib/core", path)} → ${given}`),
  );
  expect(wrong).toEqual([]);
});
