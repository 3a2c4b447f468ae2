/**
 * The schemas of events, for untrusted input: rows of another store, HTTP, an imported file. In a module of their
 * own, so that the browser does not load them with the types. Fields a schema does not know are kept, and so is an
 * event of a type this version does not know.
 */
import * as z from "zod";
import { invalidRequest } from "./errors.ts";
import type { EventType, KnownEvent, RunEvent } from "./event.ts";

const base = {
  seq: z.int().min(1),
  at: z.iso.datetime({ offset: true }),
  attempt: z.int().min(0),
};
const callId = z.string().min(1);
const tool = z.string().min(1);
const seqRef = z.int().min(1);
const signature = z.string().nullable();
const tokens = z.number().min(0).optional();
const usage = z.looseObject({ inputTokens: tokens, outputTokens: tokens, totalTokens: tokens });
const cut = [
  "soft_timeout",
  "gateway_timeout",
  "transport_error",
  "process_lost",
  "shutdown",
  "ledger_unreadable",
] as const;

const runInput = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("message"), text: z.string() }),
  z.looseObject({ kind: z.literal("action"), action: z.string().min(1), input: z.unknown() }),
]);

const plannedCall = z.looseObject({
  callId,
  providerCallId: z.string(),
  tool,
  input: z.unknown(),
  malformed: z.string().optional(),
});

const check = z.looseObject({
  callId,
  verdict: z.enum(["landed", "absent", "unknown"]),
  evidence: z.unknown().optional(),
  againInMs: z.number().min(0).optional(),
});

const differences = z.array(
  z.looseObject({
    path: z.string(),
    kind: z.enum(["value", "number", "case", "space", "date", "added", "missing"]),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  }),
);

const call = { ...base, callId, tool, input: z.unknown() };

const SCHEMAS = {
  run_started: z.looseObject({ ...base, type: z.literal("run_started"), input: runInput }),
  attempt_started: z.looseObject({
    ...base,
    type: z.literal("attempt_started"),
    owner: z.string(),
    fence: z.int().min(0),
    reason: z.enum(["first", ...cut, "settled", "manual"]),
    note: z.string().nullable(),
    prefix: z.string().optional(),
    checks: z.array(check).optional(),
    warning: z.string().optional(),
  }),
  step_started: z.looseObject({
    ...base,
    type: z.literal("step_started"),
    step: z.int().min(0),
    model: z.string(),
  }),
  text: z.looseObject({ ...base, type: z.literal("text"), text: z.string() }),
  reasoning: z.looseObject({ ...base, type: z.literal("reasoning"), text: z.string() }),
  step_finished: z.looseObject({
    ...base,
    type: z.literal("step_finished"),
    step: z.int().min(0),
    finishReason: z.string(),
    usage,
    calls: z.array(plannedCall),
    providerMetadata: z.unknown().optional(),
  }),
  tool_start: z.looseObject({
    ...call,
    type: z.literal("tool_start"),
    kind: z.enum(["read", "write"]),
    signature,
    idempotencyKey: z.string(),
    originalSeq: seqRef.optional(),
    nearOf: seqRef.optional(),
    differences: differences.optional(),
    ignored: z.array(z.string()).optional(),
    reason: z.string().optional(),
  }),
  tool_done: z.looseObject({
    ...base,
    type: z.literal("tool_done"),
    callId,
    tool,
    input: z.unknown().optional(),
    outcome: z.enum(["ok", "failed", "unknown"]).default("ok"),
    result: z.unknown(),
    late: z.boolean().optional(),
  }),
  tool_blocked: z.looseObject({
    ...call,
    type: z.literal("tool_blocked"),
    signature,
    originalSeq: seqRef,
    result: z.unknown(),
    ignored: z.array(z.string()).optional(),
    reason: z.string(),
  }),
  tool_held: z.looseObject({
    ...call,
    type: z.literal("tool_held"),
    signature,
    originalSeq: seqRef.optional(),
    behind: z.string().optional(),
    question: z.enum(["unknown", "near", "approval"]).optional(),
    nearOf: seqRef.optional(),
    differences: differences.optional(),
    ignored: z.array(z.string()).optional(),
    check: check.optional(),
    reason: z.string(),
  }),
  tool_resolved: z.looseObject({
    ...base,
    type: z.literal("tool_resolved"),
    callId,
    heldCallId: z.string().optional(),
    by: z.enum(["verify", "person"]),
    outcome: z.enum(["landed", "absent", "again", "approved", "denied"]),
    result: z.unknown().optional(),
    evidence: z.unknown().optional(),
    reason: z.string().optional(),
  }),
  clear: z.looseObject({ ...base, type: z.literal("clear"), scope: z.literal("text").optional() }),
  tripwire: z.looseObject({
    ...base,
    type: z.literal("tripwire"),
    processor: z.string(),
    reason: z.string(),
  }),
  attempt_ended: z.looseObject({
    ...base,
    type: z.literal("attempt_ended"),
    reason: z.enum([...cut, "settled"]),
    detail: z.string(),
  }),
  run_waiting: z.looseObject({
    ...base,
    type: z.literal("run_waiting"),
    heldCallIds: z.array(z.string()),
  }),
  run_done: z.looseObject({ ...base, type: z.literal("run_done"), usage }),
  run_failed: z.looseObject({
    ...base,
    type: z.literal("run_failed"),
    code: z.string(),
    message: z.string(),
    resumable: z.boolean(),
  }),
  run_cancelled: z.looseObject({ ...base, type: z.literal("run_cancelled"), by: z.string() }),
} satisfies Record<EventType, z.ZodType>;

const unknownEvent = z.looseObject({ ...base, type: z.string().min(1) });

type Parsed = { [T in EventType]: z.output<(typeof SCHEMAS)[T]> };
/** Fails to compile when a schema and its type drift apart. */
type Agrees = {
  [T in EventType]: Parsed[T] extends { type: Extract<KnownEvent, { type: T }>["type"] }
    ? true
    : never;
};
const _agrees: Agrees extends Record<EventType, true> ? true : never = true;
void _agrees;

/**
 * Checks one event. Throws `invalid-request` that names the first bad field, as in `calls[0].callId`.
 */
export function parseEvent(value: unknown): RunEvent {
  const type =
    typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  const isKnown = typeof type === "string" && Object.hasOwn(SCHEMAS, type);
  const schema: z.ZodType = isKnown ? SCHEMAS[type as EventType] : unknownEvent;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data as RunEvent;
  const issue = parsed.error.issues[0];
  throw invalidRequest(pathOf(issue?.path ?? []) || "event", issue?.message ?? "is not an event");
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
