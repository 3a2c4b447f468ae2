import { describe, expect, it } from "vitest";
import { hasCode, runNotFound } from "../core/errors.ts";
import { translateError, violates } from "./store-error.ts";

const withCode = (code: string) => Object.assign(new Error("as the driver says"), { code });

describe("an error of a driver", () => {
  it.each([
    "57P01", // terminated by an administrator
    "57014", // statement time-out
    "40001",
    "40P01",
    "55P03",
    "53300",
    "08006",
    "25006",
    "28P01",
    "ECONNREFUSED",
    "ECONNRESET",
    "CONNECTION_CLOSED",
    "CONNECT_TIMEOUT",
  ])("%s means that the store is unavailable", (code) => {
    const cause = withCode(code);
    const error = translateError(cause);
    expect(hasCode(error, "store-unavailable")).toBe(true);
    expect(error).toMatchObject({ cause, detail: `${code}: as the driver says` });
  });

  it.each(["42601", "23505", "22P02", "UNDEFINED_VALUE"])("%s is a mistake and stays", (code) => {
    const error = withCode(code);
    expect(translateError(error)).toBe(error);
  });

  it("of our own passes unchanged, as does what is no error", () => {
    const error = runNotFound("run_1");
    expect(translateError(error)).toBe(error);
    expect(translateError("text")).toBe("text");
  });

  it("violates the unique index that either driver names", () => {
    const ours = { ...withCode("23505"), constraint_name: "runs_client_token" };
    expect(violates(ours, "runs_client_token")).toBe(true);
    expect(violates({ ...withCode("23505"), constraint: "runs_pkey" }, "runs_client_token")).toBe(
      false,
    );
    expect(violates(withCode("23503"), "runs_client_token")).toBe(false);
  });
});
