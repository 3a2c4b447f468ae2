/**
 * The rules of the house that need a parser: how long a function may be, which packages a layer may use, and what a
 * browser is made to load. Each failure says the rule and what to do about it; an exception that is no longer
 * needed fails too.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FUNCTION_LINES_MAX = 60;
/** A component's markup counts with it. */
const COMPONENT_LINES_MAX = 120;

/** Functions over the limit that may stay so, as `path name`, each with its reason. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  "lib/demo/reads.ts demoReads": "a list of definitions, one after the other, and no logic",
};

/** Plain data beside the server's code that screens may load. */
const FOR_BROWSERS_TOO = new Set(["lib/demo/examples.ts"]);

/** What a layer may import from outside the project. Node's own modules count as `node:`. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  "lib/core/": /^(?:zod|@noble\/hashes|canonicalize)(?:\/|$)/,
  "lib/store/": /^(?:node:|drizzle-orm|postgres|@electric-sql\/pglite)/,
  "lib/runtime/": /^(?:ai|@ai-sdk\/[a-z-]+|zod)(?:\/|$)/,
  "lib/client/": /^eventsource-parser(?:\/|$)/,
};

/** Packages that only one layer may name. */
const OWNED: Readonly<Record<string, RegExp>> = {
  "lib/store/": /^(?:drizzle-orm|postgres|@electric-sql\/pglite)(?:\/|$)/,
};

interface Import {
  readonly from: string;
  /** Path in the project, for imports of its own files. */
  readonly path: string | undefined;
  readonly isType: boolean;
}

interface Source {
  readonly path: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
}

const SOURCES = ["app", "components", "lib"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => /\.tsx?$/.test(path))
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .map(parse),
);
const SHIPPED = SOURCES.filter(({ path }) => !path.startsWith("lib/testing/"));

function parse(path: string): Source {
  const text = readFileSync(join(ROOT, path), "utf8");
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  return { path, tree, imports: tree.statements.flatMap((node) => importOf(path, node)) };
}

function importOf(path: string, node: ts.Statement): Import[] {
  if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return [];
  if (!node.moduleSpecifier || !ts.isStringLiteral(node.moduleSpecifier)) return [];
  const from = node.moduleSpecifier.text;
  const clause = ts.isImportDeclaration(node) ? node.importClause : node;
  const bindings = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : undefined;
  const named = bindings && ts.isNamedImports(bindings) ? bindings.elements : undefined;
  const onlyTypes = !hasDefault(node) && (named?.every((name) => name.isTypeOnly) ?? false);
  return [
    {
      from,
      path: projectPath(path, from),
      isType: (clause !== undefined && isTypeOnly(clause)) || onlyTypes,
    },
  ];
}

function isTypeOnly(clause: ts.ImportClause | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(clause)) return clause.isTypeOnly;
  return clause.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

function hasDefault(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  return ts.isImportDeclaration(node) && node.importClause?.name !== undefined;
}

function projectPath(path: string, from: string): string | undefined {
  if (from.startsWith("@/")) return from.slice(2);
  return from.startsWith(".") ? normalize(join(dirname(path), from)) : undefined;
}

interface LongFunction {
  readonly where: string;
  readonly lines: number;
}

function longFunctions({ path, tree }: Source): LongFunction[] {
  const found: LongFunction[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const first = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line;
      const lines = tree.getLineAndCharacterOfPosition(node.end).line - first + 1;
      const name = nameOf(node);
      const isComponent = path.endsWith(".tsx") && /^[A-Z]/.test(name);
      const max = isComponent ? COMPONENT_LINES_MAX : FUNCTION_LINES_MAX;
      if (lines > max) found.push({ where: `${path} ${name}`, lines });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name) return node.name.getText();
  const { parent } = node;
  const named = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return named ? parent.name.getText() : "(unnamed)";
}

/** Everything a browser loads: what client components and lib/client import, directly or not. */
function browserSources(): Source[] {
  const byPath = new Map(SHIPPED.map((source) => [source.path, source]));
  const isEntry = ({ path, tree }: Source) =>
    path.startsWith("lib/client/") || /^\s*["']use client["']/m.test(tree.text);
  const reached = new Set(SHIPPED.filter(isEntry));
  // A set goes on to what is added while it is walked.
  for (const source of reached) {
    for (const each of source.imports) {
      const next = each.isType ? undefined : byPath.get(each.path ?? "");
      if (next) reached.add(next);
    }
  }
  return [...reached];
}

const lineOf = (source: Source, { from }: Import) => `${source.path} → ${from}`;
const imported = (sources: readonly Source[], isWrong: (from: Import, path: string) => boolean) =>
  sources.flatMap((source) =>
    source.imports.filter((each) => isWrong(each, source.path)).map((each) => lineOf(source, each)),
  );

test("a function has at most 60 lines, a component 120: name a part of it and move it out", () => {
  const long = SHIPPED.flatMap(longFunctions).filter(({ where }) => !(where in LONG_FUNCTIONS));
  expect(long.map(({ where, lines }) => `${where}: ${lines}`)).toEqual([]);
});

test("an exception for a long function is still needed: else remove it from the list", () => {
  const long = new Set(SHIPPED.flatMap(longFunctions).map(({ where }) => where));
  expect(Object.keys(LONG_FUNCTIONS).filter((where) => !long.has(where))).toEqual([]);
});

test.each(Object.entries(PACKAGES))(
  "%s uses only %s: other needs go behind a port",
  (layer, allowed) => {
    const sources = SHIPPED.filter(({ path }) => path.startsWith(layer));
    expect(sources.length).toBeGreaterThan(0);
    expect(imported(sources, (each) => !each.path && !allowed.test(each.from))).toEqual([]);
  },
);

test.each(Object.entries(OWNED))("only %s names %s: ask the port", (layer, owned) => {
  const others = SHIPPED.filter(({ path }) => !path.startsWith(layer));
  expect(imported(others, (each) => owned.test(each.from))).toEqual([]);
});

test("a browser loads nothing of the server: move what both need into lib/core", () => {
  const server = /^lib\/(?:store|runtime|demo|http|env|server|testing)\b/;
  const browser = browserSources();
  expect(browser.length).toBeGreaterThan(50);
  const isServer = (path = "") => server.test(path) && !FOR_BROWSERS_TOO.has(path);
  const isWrong = (each: Import) =>
    !each.isType && (each.from.startsWith("node:") || isServer(each.path));
  expect(imported(browser, isWrong)).toEqual([]);
});

test("an exception for browsers is still needed: else remove it from the list", () => {
  const loaded = new Set(browserSources().map(({ path }) => path));
  expect([...FOR_BROWSERS_TOO].filter((path) => !loaded.has(path))).toEqual([]);
});

test("a browser loads no schemas on its first visit: import them when they are needed", () => {
  const isZod = (each: Import) => !each.isType && /^zod(?:\/|$)/.test(each.from);
  expect(imported(browserSources(), isZod)).toEqual([]);
});
