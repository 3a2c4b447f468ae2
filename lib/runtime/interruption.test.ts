import { APICallError } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { interruptionOf, ModelFailure, StreamEndedEarly, StreamStalled } from "./interruption.ts";

const answered = (statusCode: number, extra: Partial<{ retryAfter: string; code: string }> = {}) =>
  new APICallError({
    message: "no",
    url: "http://model.test",
    requestBodyValues: {},
    statusCode,
    ...(extra.retryAfter && { responseHeaders: { "retry-after": extra.retryAfter } }),
    ...(extra.code && { data: { error: { code: extra.code } } }),
  });

const broken = (code: string) =>
  new TypeError("terminated", { cause: Object.assign(new Error("socket"), { code }) });

test.each([
  [429, undefined],
  [529, undefined],
])("status %i asks for patience", (status, afterMs) => {
  expect(interruptionOf(answered(status))).toMatchObject({ kind: "retry", afterMs });
});

test("the server's own retry-after is kept, in milliseconds", () => {
  expect(interruptionOf(answered(429, { retryAfter: "2" }))).toMatchObject({ afterMs: 2000 });
});

test.each([408, 502, 503, 504, 524])("status %i is a gateway's time-out", (status) => {
  expect(interruptionOf(answered(status))).toMatchObject({
    kind: "cut",
    reason: "gateway_timeout",
  });
});

test.each([
  ["a server error", answered(500)],
  ["a reset connection", broken("ECONNRESET")],
  ["a socket closed by the other side", broken("UND_ERR_SOCKET")],
  ["a stream that ends without its end", new StreamEndedEarly()],
  ["an abort that was not ours", new DOMException("aborted", "AbortError")],
])("%s is a transport error that resumes", (_name, error) => {
  expect(interruptionOf(error)).toMatchObject({ kind: "cut", reason: "transport_error" });
});

test("silence is a gateway's time-out that resumes", () => {
  expect(interruptionOf(new StreamStalled(60_000))).toMatchObject({
    kind: "cut",
    reason: "gateway_timeout",
  });
});

test.each([
  [400, undefined, "model-bad-request"],
  [400, "context_length_exceeded", "model-context-too-long"],
  [401, undefined, "model-credentials"],
  [403, undefined, "model-credentials"],
  [413, undefined, "model-context-too-long"],
  [422, undefined, "model-bad-request"],
])("status %i %s fails the run for good as %s", (status, code, expected) => {
  expect(interruptionOf(answered(status, code ? { code } : {}))).toMatchObject({
    kind: "fail",
    failure: { code: expected, resumable: false },
  });
});

test("a bug of ours is not taken for a broken connection", () => {
  expect(interruptionOf(new TypeError("x is undefined"))).toMatchObject({
    kind: "fail",
    failure: { code: "model-output-invalid", resumable: true },
  });
});

test("a failure found in the answer stays what it is", () => {
  const failure = { code: "model-content-refused", message: "no", resumable: false };
  expect(interruptionOf(new ModelFailure(failure))).toEqual({ kind: "fail", failure });
});
