import { describe, expect, it } from "vitest";
import { editDraft, mintClientToken, tokenOf } from "./client-token.ts";

describe("the client token", () => {
  it("stays with a text that is tried again", () => {
    const first = tokenOf({ text: "Email Ada" });
    expect(tokenOf(editDraft(first, "Email Ada ")).token).toBe(first.token);
  });

  it("is a new one for a changed text", () => {
    const first = tokenOf({ text: "Email Ada" });
    expect(editDraft(first, "Email Bob")).toEqual({ text: "Email Bob" });
  });

  it("is not minted twice the same", () => {
    expect(mintClientToken()).not.toBe(mintClientToken());
    expect(mintClientToken()).toMatch(/^[0-9a-f]{32}$/);
  });
});
