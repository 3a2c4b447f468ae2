/**
 * Reads what a caller sent. The size is enforced while the body is read, so that no more than the limit is ever
 * held; everything wrong is an `invalid-request` that names the field.
 */
import type * as z from "zod";
import { bodyTooLarge, eventNotFound, invalidRequest, runNotFound } from "../core/errors.ts";
import { asRunId, asThreadId, type RunId, type ThreadId } from "../core/ids.ts";
import { threadNotFound } from "../core/errors.ts";

/** Deeper JSON is refused: what walks a value later may recurse. */
const DEPTH_MAX = 64;

const ID = /^[A-Za-z0-9_-]{1,100}$/;

/** A run id from a path. What can't be one names no run. */
export function parseRunId(text: string): RunId {
  if (!ID.test(text)) throw runNotFound(text.slice(0, 100));
  return asRunId(text);
}

/** A thread id from a path. What can't be one names no thread. */
export function parseThreadId(text: string): ThreadId {
  if (!ID.test(text)) throw threadNotFound(text.slice(0, 100));
  return asThreadId(text);
}

/** A seq from a path. What can't be one names no event. */
export function parseSeq(runId: RunId, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw eventNotFound(runId, Number.NaN);
  return Number(text);
}

/** Parameters of a query. One that is given twice has two meanings, and is refused. Throws `invalid-request`. */
export function queryOf(url: string): Readonly<Record<string, string>> {
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URL(url).searchParams) {
    if (name in query) throw invalidRequest(name.slice(0, 100), "given more than once");
    query[name] = value;
  }
  return query;
}

/** Reads a JSON body and checks it. Throws `invalid-request`, `body-too-large`. */
export async function readJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  bodyBytesMax: number,
): Promise<z.output<Schema>> {
  const bytes = await readBody(request, bodyBytesMax);
  // After the body, so that a refused one is not left half read on the connection.
  checkContentType(request.headers.get("content-type"));
  return parseWith(schema, parseJson(bytes));
}

/** As `readJson`, with `{}` where no body was sent. */
export async function readOptionalJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  bodyBytesMax: number,
): Promise<z.output<Schema>> {
  const bytes = await readBody(request, bodyBytesMax);
  if (bytes.byteLength === 0) return parseWith(schema, {});
  checkContentType(request.headers.get("content-type"));
  return parseWith(schema, parseJson(bytes));
}

/** Checks a value. The error names the path of the first bad field, as in `faults[0].at`. */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalidRequest(fieldPath(issue?.path ?? []) || "body", issue?.message ?? "not valid");
}

function checkContentType(contentType: string | null): void {
  if (contentType === null) return;
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "application/json" || /^application\/[\w.-]+\+json$/.test(type)) return;
  throw invalidRequest("content-type", "expected application/json");
}

async function readBody(request: Request, bodyBytesMax: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > bodyBytesMax) {
    throw bodyTooLarge(bodyBytesMax);
  }
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks, size);
    size += value.byteLength;
    if (size > bodyBytesMax) {
      // The answer goes out without the rest; a failing cancel changes nothing about it.
      void reader.cancel().catch(() => undefined);
      throw bodyTooLarge(bodyBytesMax);
    }
    chunks.push(value);
  }
}

function parseJson(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw invalidRequest("body", "expected JSON in UTF-8", error);
  }
  assertDepth(value);
  return value;
}

/** Refuses JSON that is nested too deeply to be walked by recursion. */
export function assertDepth(value: unknown): void {
  if (isDeeperThan(value, DEPTH_MAX)) {
    throw invalidRequest("body", `nested deeper than ${DEPTH_MAX} levels`);
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
