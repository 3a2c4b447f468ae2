/** How a call differs from one that is nearly the same: field by field, before and after. */
import type { DifferenceKind, FieldDifference } from "@/lib/core/near.ts";

const KIND_WORDS: Record<DifferenceKind, string> = {
  value: "another value",
  number: "number form",
  case: "letter case",
  space: "white space",
  date: "date form",
  added: "added",
  missing: "missing",
};

export function Differences({ differences }: { readonly differences: readonly FieldDifference[] }) {
  return (
    <div className="overflow-x-auto">
      <table aria-label="Differences" className="w-full text-left text-[0.8125rem]">
        <thead className="text-xs text-muted-foreground">
          <tr>
            <th className="pr-3 font-medium">Field</th>
            <th className="pr-3 font-medium">Before</th>
            <th className="pr-3 font-medium">Now</th>
            <th className="font-medium">What differs</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ path, kind, before, after }) => (
            <tr key={path} data-difference={path} className="align-top">
              <th scope="row" className="pr-3 font-medium">
                {path || "input"}
              </th>
              <td className="pr-3 font-mono [overflow-wrap:anywhere]">{textOf(before)}</td>
              <td className="pr-3 font-mono [overflow-wrap:anywhere]">{textOf(after)}</td>
              <td>{KIND_WORDS[kind]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf(value: unknown): string {
  return value === undefined ? "–" : JSON.stringify(value);
}
