import { describe, expect, it } from "vitest";
import { splitBlocks } from "./markdown-blocks.ts";

describe("splitBlocks", () => {
  it("splits paragraphs at blank lines", () => {
    expect(splitBlocks("one\nstill one\n\ntwo\n\n\nthree\n")).toEqual([
      "one\nstill one",
      "two",
      "three",
    ]);
  });

  it("keeps a fenced block whole, whatever stands in it", () => {
    const code = "```ts\na\n\n~~~\n\nb\n```";
    expect(splitBlocks(`before\n\n${code}\n\nafter`)).toEqual(["before", code, "after"]);
  });

  it("keeps a loose list in one block, so that its numbers go on", () => {
    expect(splitBlocks("1. a\n\n2. b\n\n   more of b\n\nend")).toEqual([
      "1. a\n\n2. b\n\n   more of b",
      "end",
    ]);
  });

  it("changes at most the last two blocks while a text grows", () => {
    const text = "one\n\n- a\n- b\n\n```\nx\n\ny\n```\n\nlast line";
    for (let end = 1; end < text.length; end += 1) {
      const now = splitBlocks(text.slice(0, end));
      const later = splitBlocks(text.slice(0, end + 1));
      expect(later.slice(0, Math.max(now.length - 2, 0))).toEqual(now.slice(0, -2));
    }
  });

  it("gives nothing for a text of blank lines", () => {
    expect(splitBlocks("\n \n")).toEqual([]);
  });
});
