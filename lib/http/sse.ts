/** Frames of an event stream, encoded whole. Source: the HTML standard, "Server-sent events". */
import { createHash } from "node:crypto";
import type { RunEvent } from "../core/event.ts";

const encoder = new TextEncoder();

export type ControlFrame = "hello" | "caughtup" | "state" | "end" | "bye" | "reset";

/** A frame without an id: it never moves the reader's cursor. */
export function controlFrame(event: ControlFrame, data: unknown): Uint8Array {
  return encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** The only frame with an id. JSON has no line breaks, so one data line is enough. */
export function ledgerFrame(event: RunEvent, inlineBytesMax: number): Uint8Array {
  const data = JSON.stringify(withReferences(event, inlineBytesMax));
  return encoder.encode(`id: ${event.seq}\nevent: ledger\ndata: ${data}\n\n`);
}

export const PING = encoder.encode(": ping\n\n");

/** What native clients wait before they reconnect, in milliseconds. */
export const retryLine = (ms: number) => encoder.encode(`retry: ${ms}\n\n`);

const LARGE_FIELDS = ["input", "result", "note", "calls", "prefix"] as const;

/** Replaces fields that are too large for a frame by their length and hash; they are loaded on demand. */
export function withReferences(event: RunEvent, inlineBytesMax: number): RunEvent {
  let copy: Record<string, unknown> | undefined;
  for (const field of LARGE_FIELDS) {
    const value = (event as Readonly<Record<string, unknown>>)[field];
    if (value === undefined || value === null || typeof value === "number") continue;
    const text = JSON.stringify(value);
    if (text.length * 3 <= inlineBytesMax) continue;
    const bytes = Buffer.byteLength(text);
    if (bytes <= inlineBytesMax) continue;
    const sha256 = createHash("sha256").update(text).digest("hex");
    copy ??= { ...event };
    copy[field] = { ref: { bytes, sha256 } };
  }
  return (copy ?? event) as RunEvent;
}
