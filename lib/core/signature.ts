/**
 * What makes two calls "the same": a hash of the tool and of the canonical input. Computed with today's action for
 * stored and for fresh inputs alike, so that a deploy that adds a default changes nothing.
 *
 * Invariant: different things to hash are different texts. The tool, the way of comparing and the value are
 * separate JSON texts on separate lines, so nothing a model types can look like a marker of ours.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { ActionIdentity, InputSchema } from "./action-policy.ts";
import { canonicalText, isPlainObject } from "./canonical.ts";

const VERSION = "durable-resume signature 1";

/** Returns the signature of a call, or null when it matches nothing. Never throws. */
export function signatureOf(tool: string, input: unknown, action?: ActionIdentity): string | null {
  const { by, value } = comparableOf(input, action);
  const text = canonicalText(value);
  if (text === null) return null;
  return bytesToHex(sha256(utf8ToBytes(`${VERSION}\n${JSON.stringify(tool)}\n${by}\n${text}`)));
}

/** Returns the text by which inputs are compared when nothing is known of their action, or null. */
export function inputText(input: unknown): string | null {
  return isBlank(input) ? "{}" : canonicalText(input);
}

/** What two calls are compared by. */
export interface Comparable {
  readonly by: "input" | "identity";
  /** The identity, or the whole parsed input. */
  readonly value: unknown;
  /** The parsed input; as sent where there is no schema, or today's refuses it. */
  readonly parsed: unknown;
}

/** Returns what a call is compared by, with today's action. Never throws. */
export function comparableOf(input: unknown, action?: ActionIdentity): Comparable {
  const schema = schemaOf(action);
  const parsed = parse(schema, input);
  const identity = identityOf(action, parsed);
  if (identity !== undefined) return { by: "identity", value: identity, parsed: parsed.value };
  const takesNone = isBlank(input) && (schema === undefined || takesNothing(schema));
  return { by: "input", value: takesNone ? {} : parsed.value, parsed: parsed.value };
}

/** `value` is the input as sent when there is no schema, or when today's schema refuses it. */
interface Parsed {
  readonly value: unknown;
  readonly refused: boolean;
}

function parse(schema: InputSchema | undefined, input: unknown): Parsed {
  if (schema === undefined) return { value: input, refused: false };
  try {
    const parsed = schema.safeParse(input);
    return parsed.success
      ? { value: parsed.data, refused: false }
      : { value: input, refused: true };
  } catch {
    // A schema that can't be asked (an asynchronous one, or one that throws) refuses.
    return { value: input, refused: true };
  }
}

/** undefined where the whole input counts. */
function identityOf(action: ActionIdentity | undefined, parsed: Parsed): unknown {
  if (typeof action?.identity !== "function") return undefined;
  try {
    const identity: unknown = action.identity(parsed.value as never);
    // Out of an input of another shape an identity may come with holes, the same ones for different inputs.
    return parsed.refused && !isWhole(identity) ? undefined : identity;
  } catch {
    return undefined;
  }
}

function isWhole(identity: unknown): boolean {
  if (Array.isArray(identity)) return !identity.includes(undefined);
  return !isPlainObject(identity) || !Object.values(identity).includes(undefined);
}

/** The ways in which models send "no arguments". */
function isBlank(input: unknown): boolean {
  if (input === undefined || input === null || input === "") return true;
  return isEmptyObject(input);
}

function isEmptyObject(value: unknown): boolean {
  return isPlainObject(value) && canonicalText(value) === "{}";
}

/** An action without arguments accepts an empty object and makes nothing of it. */
function takesNothing(schema: InputSchema): boolean {
  const parsed = parse(schema, {});
  return !parsed.refused && isEmptyObject(parsed.value);
}

function schemaOf(action: ActionIdentity | undefined): InputSchema | undefined {
  return typeof action?.schema?.safeParse === "function" ? action.schema : undefined;
}
