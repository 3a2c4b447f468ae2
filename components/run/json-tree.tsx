"use client";
/** A JSON value as a tree, in a chunk of its own. */
import { collapseAllNested, JsonView } from "react-json-view-lite";
import "react-json-view-lite/dist/index.css";

const CLASSES = {
  container: "font-mono text-xs leading-5",
  basicChildStyle: "pl-4",
  childFieldsContainer: "",
  label: "mr-1 font-medium",
  clickableLabel: "mr-1 cursor-pointer font-medium",
  nullValue: "text-muted-foreground",
  undefinedValue: "text-muted-foreground",
  stringValue: "[overflow-wrap:anywhere]",
  booleanValue: "",
  numberValue: "",
  otherValue: "",
  punctuation: "text-muted-foreground",
  collapseIcon: "mr-1 inline-block w-3 after:content-['▾']",
  expandIcon: "mr-1 inline-block w-3 after:content-['▸']",
  collapsedContent: "after:content-['…']",
  noQuotesForStringValues: false,
  quotesForFieldNames: false,
  ariaLables: { collapseJson: "Collapse", expandJson: "Expand" },
  stringifyStringValues: false,
};

export default function JsonTree({ value }: { readonly value: unknown }) {
  const data = typeof value === "object" && value !== null ? value : { value };
  return (
    <div className="overflow-x-auto rounded-lg bg-muted p-2.5">
      <JsonView data={data} shouldExpandNode={collapseAllNested} style={CLASSES} />
    </div>
  );
}
