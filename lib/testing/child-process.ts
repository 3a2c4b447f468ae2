/** Real processes for tests that kill them: TypeScript is translated into a folder of its own and run by Node. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";

export interface TranslatedTree {
  readonly directory: string;
  remove(): Promise<void>;
}

/** Translates files of the project, named from its root, and everything that they import by a relative path. */
export async function translate(...files: readonly string[]): Promise<TranslatedTree> {
  const directory = await mkdtemp(join(tmpdir(), "durable-resume-child-"));
  await writeFile(join(directory, "package.json"), JSON.stringify({ type: "module" }));
  await symlink(resolve("node_modules"), join(directory, "node_modules"));
  const seen = new Set<string>();
  const pending = [...files];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const { code, imports } = translateOne(await readFile(file, "utf8"));
    const target = join(directory, file.replace(/\.ts$/, ".js"));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
    pending.push(...imports.map((name) => join(dirname(file), name)));
  }
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

function translateOne(source: string): { code: string; imports: string[] } {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
  });
  const imports: string[] = [];
  const code = outputText.replace(
    /(["'])(\.{1,2}\/[^"']+)\.ts\1/g,
    (_, quote: string, name: string) => {
      imports.push(`${name}.ts`);
      return `${quote}${name}.js${quote}`;
    },
  );
  return { code, imports };
}

export interface Child {
  readonly process: ChildProcess;
  /** The child's next message. Rejects when it ends without one. */
  next(): Promise<unknown>;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
}

/** Starts a script as a process that talks through messages. */
export function startChild(script: string, args: readonly string[]): Child {
  const child = fork(script, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const messages: unknown[] = [];
  let wake = () => {};
  let ended = false;
  child.on("message", (message) => {
    messages.push(message);
    wake();
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => {
      ended = true;
      wake();
      resolve();
    });
  });
  return {
    process: child,
    next: async () => {
      while (messages.length === 0) {
        if (ended) throw new Error("the child ended without a message");
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return messages.shift();
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
