/**
 * Splits markdown at blank lines outside of code fences, so that of a growing text only the last block is parsed
 * again. Joining the blocks with a blank line gives a text that renders the same.
 */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let fence: string | null = null;
  let blanks = 0;
  for (const line of text.split("\n")) {
    if (fence === null && line.trim() === "") {
      blanks += 1;
      continue;
    }
    const last = blocks.at(-1);
    const joins = last !== undefined && (fence !== null || blanks === 0 || goesOn(last, line));
    if (joins) blocks[blocks.length - 1] = `${last}${"\n".repeat(blanks + 1)}${line}`;
    else blocks.push(line);
    blanks = 0;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null) fence = mark ?? null;
    else if (mark !== undefined && closes(fence, line)) fence = null;
  }
  return blocks;
}

/** After a blank line, an indented line or a further item belongs to the list above it. */
function goesOn(block: string, line: string): boolean {
  const isList = /^ {0,3}([-*+]|\d+[.)])\s/.test(block);
  return isList && /^(\s{2,}|\t|\s*([-*+]|\d+[.)])\s)/.test(line);
}

function closes(fence: string, line: string): boolean {
  const mark = fence[0] ?? "`";
  return new RegExp(`^ {0,3}\\${mark}{${fence.length},}\\s*$`).test(line);
}
