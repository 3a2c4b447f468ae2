/**
 * The sole reader of `process.env`. Every setting is checked once; a wrong one stops the start with a sentence
 * that names the variable. The README's table of settings lists the public ones.
 */
import * as z from "zod";

const wholeMs = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, "expected a whole number of milliseconds, as in 5000")
    .transform(Number)
    .refine((value) => value <= max, `expected at most ${max}`);

const flag = z
  .enum(["", "0", "1", "true", "false"], { error: "expected 1 or 0" })
  .transform((value) => value === "1" || value === "true");

const names = z.string().transform((text) => text.split(/[\s,]+/).filter((name) => name !== ""));
const hostNames = names.transform((hosts) => hosts.map((host) => host.toLowerCase()));

const SETTINGS = z.object({
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "expected postgres://user:password@host:port/database")
    .optional(),
  DATA_DIR: z.string().min(1).default(".data"),
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, "expected a port number")
    .transform(Number)
    .refine((port) => port <= 65_535, "expected a port number up to 65535")
    .default(3000),
  ALLOWED_HOSTS: hostNames.default([]),
  LAB: flag.default(false),
  UNKNOWN_WRITES: z
    .enum(["hold", "model"], { error: 'expected "hold" or "model"' })
    .default("hold"),
  SOFT_TIMEOUT_MS: wholeMs(86_400_000).default(0),
  LEASE_MS: wholeMs(600_000)
    .refine((value) => value >= 300, "expected at least 300")
    .default(5_000),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
      error: 'expected "error", "warn", "info", "debug", "trace" or "silent"',
    })
    .default("info"),
  RUNNER_OWNER: z.string().min(1).max(200).optional(),
  RUNNER_PREDECESSOR: names.default([]),
  PING_MS: wholeMs(600_000)
    .refine((value) => value >= 50, "expected at least 50")
    .optional(),
  NEXT_DIST_DIR: z.string().min(1).default(".next"),
  NEXT_RUNTIME: z.string().optional(),
  NEXT_PHASE: z.string().optional(),
});

export interface Env {
  /** PostgreSQL to use; undefined = the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** Host names, besides loopback, under which the server may be addressed. */
  readonly allowedHosts: readonly string[];
  readonly lab: boolean;
  readonly unknownWrites: "hold" | "model";
  readonly softTimeoutMs: number;
  readonly leaseMs: number;
  readonly logLevel: string;
  /** Set by a supervisor: the name of this process as an owner, and those of its dead predecessors. */
  readonly runnerOwner: string | undefined;
  readonly runnerPredecessors: readonly string[];
  /** Set by tests that scale the stream's times down. */
  readonly pingMs: number | undefined;
  readonly distDir: string;
  /** Which of Next's runtimes loads the code: `nodejs` or `edge`. */
  readonly nextRuntime: string | undefined;
  /** true while the app is being built: nothing may be opened. */
  readonly building: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Checks the variables. Throws an Error that names each wrong one. An empty variable counts as not set. */
export function parseEnv(variables: Variables): Env {
  const set = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = SETTINGS.safeParse(set);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join(".")}: ${issue.message}`,
    );
    throw new Error(`Settings are not valid. ${problems.join("; ")}.`);
  }
  const settings = parsed.data;
  return {
    databaseUrl: settings.DATABASE_URL,
    dataDir: settings.DATA_DIR,
    host: settings.HOST,
    port: settings.PORT,
    allowedHosts: settings.ALLOWED_HOSTS,
    lab: settings.LAB,
    unknownWrites: settings.UNKNOWN_WRITES,
    softTimeoutMs: settings.SOFT_TIMEOUT_MS,
    leaseMs: settings.LEASE_MS,
    logLevel: settings.LOG_LEVEL,
    runnerOwner: settings.RUNNER_OWNER,
    runnerPredecessors: settings.RUNNER_PREDECESSOR,
    pingMs: settings.PING_MS,
    distDir: settings.NEXT_DIST_DIR,
    nextRuntime: settings.NEXT_RUNTIME,
    building: settings.NEXT_PHASE === "phase-production-build",
  };
}

let cached: Env | undefined;

/** The settings of this process, read once. */
export function getEnv(): Env {
  cached ??= parseEnv(process.env);
  return cached;
}
