/** The demo model's sentences. They quote facts: ids, counts, and what was not done again. */
import { type PastCall, recordOf } from "./conversation.ts";
import type { Wish } from "./parse-request.ts";

export const HELP = [
  "I can send e-mails, charge cards, open tickets and look things up. For example:",
  "",
  "- Email ada@example.com the March report and open a ticket about it",
  "- Charge customer 42 20 euros, then email her the receipt",
  "- How many open tickets are there?",
].join("\n");

export const NO_RECEIPT = "I sent no receipt, because the charge did not go through.";

/** Says which parts of a request were not understood, so that nothing is dropped in silence. */
export function missedLine(missed: readonly string[]): string {
  return `I did not understand ${missed.map((words) => `“${words}”`).join(" and ")}, so I did nothing about it. A mail needs an address or a customer, a charge a customer and an amount in euros.`;
}

/** Says what the next calls are for. */
export function announce(wishes: readonly Wish[]): string {
  const parts = wishes.map(intentOf);
  const unique = [...new Set(parts)].map((part) => {
    const count = parts.filter((other) => other === part).length;
    return count === 1 ? part : `${part} (${count} times)`;
  });
  return `I'll ${unique.join(" and ")}.`;
}

function intentOf({ tool, input }: Wish): string {
  switch (tool) {
    case "send_email":
      return `email “${String(input["subject"])}” to ${String(input["to"])}`;
    case "charge_card":
      return `charge customer ${String(input["customer"])} €${String(input["amount"])}`;
    case "create_ticket":
      return `open the ticket “${String(input["title"])}”`;
    case "find_customer":
      return `look up customer ${String(input["customer"])}`;
    default:
      return `look at the ${tool.replace(/^list_(?:sent_)?/, "")}`;
  }
}

/** The closing answer. */
export function summarise(calls: readonly PastCall[]): string {
  const lines = calls.map(sentenceOf).filter((line) => line !== "");
  return [...new Set(lines)].join("\n\n") || "There was nothing to do.";
}

function sentenceOf(call: PastCall): string {
  if (call.status === "unknown") {
    return `I tried to ${intentOf(call)}, and it is not known whether that happened. Please check before you ask for it again.`;
  }
  if (call.status === "not_done") return `I did not ${intentOf(call)}.`;
  const result = recordOf(call.result);
  if (call.status === "failed") {
    return `I could not ${intentOf(call)}: ${String(result["error"] ?? "it was refused")}`;
  }
  return `${factOf(call, result)}${asideOf(call)}`;
}

function asideOf({ blocked, checked }: PastCall): string {
  if (blocked) return " It was done before the interruption, so I did not do it again.";
  return checked ? " I checked: it had happened before the interruption." : "";
}

function factOf({ tool, input }: PastCall, result: Readonly<Record<string, unknown>>): string {
  const id = (name: string) => (typeof result[name] === "string" ? ` (${result[name]})` : "");
  switch (tool) {
    case "send_email":
      return `“${String(input["subject"])}” was sent to ${String(input["to"])}${id("messageId")}.`;
    case "charge_card":
      return `Customer ${String(input["customer"])} was charged €${String(input["amount"])}${id("chargeId")}.`;
    case "create_ticket":
      return `The ticket “${String(input["title"])}” is open${id("ticketId")}.`;
    case "find_customer":
      return `Customer ${String(input["customer"])} is ${String(result["name"])}, ${String(result["email"])}.`;
    default:
      return countOf(tool, Number(result["count"] ?? 0));
  }
}

const THINGS: Readonly<Record<string, readonly [string, string]>> = {
  list_tickets: ["open ticket", "open tickets"],
  list_sent_emails: ["sent e-mail", "sent e-mails"],
  list_charges: ["charge", "charges"],
};

function countOf(tool: string, count: number): string {
  const [one, many] = THINGS[tool] ?? ["thing", "things"];
  return count === 1 ? `There is 1 ${one}.` : `There are ${count} ${many}.`;
}
