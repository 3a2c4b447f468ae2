/** What makes two calls of the demo the same wish, as its model sees it, and the read that shows whether one happened. */
import type { Wish } from "./parse-request.ts";

const IDENTITY: Readonly<Record<string, readonly string[]>> = {
  send_email: ["to", "subject"],
  charge_card: ["customer", "amount", "purpose"],
  create_ticket: ["title"],
};

export function isLookUp({ tool }: Pick<Wish, "tool">): boolean {
  return !Object.hasOwn(IDENTITY, tool);
}

/** Writes are the same by identity, reads by their whole input. */
export function isSame(a: Wish, b: Wish): boolean {
  if (a.tool !== b.tool) return false;
  const names = IDENTITY[a.tool] ?? [
    ...new Set([...Object.keys(a.input), ...Object.keys(b.input)]),
  ];
  return names.every((name) => a.input[name] === b.input[name]);
}

/** The read that shows whether a write happened. */
export function lookOf({ tool, input }: Wish): Wish {
  switch (tool) {
    case "send_email":
      return { tool: "list_sent_emails", input: { to: input["to"] } };
    case "charge_card":
      return { tool: "list_charges", input: { customer: input["customer"] } };
    case "create_ticket":
      return { tool: "list_tickets", input: { title: input["title"] } };
    default:
      return { tool, input };
  }
}
