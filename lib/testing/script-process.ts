/** Real processes for tests of scripts: they are watched through what they print. */
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";

export interface ScriptProcess {
  readonly pid: number;
  signal(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): void;
  /** Everything printed up to now. */
  output(): string;
  /** The next line that matches and that no earlier call returned. Rejects when the process ends without one. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  /** The exit code, after the last output; null = killed by a signal. */
  readonly ended: Promise<number | null>;
}

interface Options {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs Node with these arguments. */
export function startScript(args: readonly string[], { cwd, env }: Options = {}): ScriptProcess {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let read = 0;
  let hasEnded = false;
  let wake = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      wake();
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      hasEnded = true;
      wake();
      resolve(code);
    });
  });
  return {
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    output: () => output,
    line: async (pattern) => {
      for (;;) {
        const found = pattern.exec(output.slice(read));
        if (found) {
          read += found.index + found[0].length;
          return found;
        }
        if (hasEnded) throw new Error(`ended without ${String(pattern)}; it printed:\n${output}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    ended,
  };
}

/** Runs a piece of a module, in which `load("scripts/x.mjs")` imports a file of the project. */
export function startModule(code: string, options?: Options): ScriptProcess {
  const root = pathToFileURL(`${process.cwd()}/`).href;
  const load = `const load = (name) => import(new URL(name, ${JSON.stringify(root)}).href);`;
  return startScript(["--input-type=module", "--eval", `${load}\n${code}`], options);
}
