/**
 * Understands the small set of requests the demo agent can carry out: mail, charge, ticket, look-ups, several in one
 * sentence. Pure: a text in, the calls it asks for out, in steps; calls of one step do not depend on each other.
 */
import { customerOf } from "./customers.ts";

export interface Wish {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Steps in order; empty when nothing was understood. */
export type Plan = readonly (readonly Wish[])[];

/** What pronouns refer to while a sentence is read. */
interface Memory {
  address: string | undefined;
  topic: string | undefined;
}

const VERB =
  /\b(?:e-?mail|mail|send|charge|bill|(?:open|create|file|raise)\s+(?:\w+\s+)?tickets?|how many|list|show|what|which|look up|find)\b/gi;

/** Reads a request. */
export function parseRequest(text: string): Plan {
  const memory: Memory = { address: undefined, topic: undefined };
  const steps: Wish[][] = [];
  for (const { clause, isNext } of clausesOf(text)) {
    const wishes = wishesOf(clause, memory);
    if (wishes.length === 0) continue;
    if (isNext || steps.length === 0) steps.push([]);
    steps.at(-1)?.push(...wishes);
  }
  return steps;
}

/** Cuts a text before each verb. `isNext`: it begins with "then" or the like, so it waits for what is before. */
function clausesOf(text: string): { clause: string; isNext: boolean }[] {
  const verbs = [...text.matchAll(VERB)].map(({ index }) => index);
  // "list of mails" and "the mail": a verb opens a clause only at the start or behind a joint.
  const starts = verbs.filter(
    (at) => at === 0 || /(?:^|\band|\bthen|\bto|\bplease|[,;.?!])\s*$/i.test(text.slice(0, at)),
  );
  return starts.map((at, i) => ({
    clause: text.slice(at, starts[i + 1] ?? text.length),
    isNext: /\b(?:then|after that|afterwards)\W*$/i.test(text.slice(0, at)),
  }));
}

function wishesOf(clause: string, memory: Memory): Wish[] {
  const words = clause
    .replace(/(?:\s*(?:\b(?:and|then|please|after that)\b|[,;.?!]))*\s*$/i, "")
    .trim();
  if (/^(?:open|create|file|raise)\b/i.test(words)) return times(words, ticketOf(words, memory));
  if (/^(?:charge|bill)\b/i.test(words)) return times(words, chargeOf(words, memory));
  if (/^(?:e-?mail|mail|send)\b/i.test(words)) return times(words, mailOf(words, memory));
  return lookUpsOf(words, memory);
}

const COUNTS: Readonly<Record<string, number>> = { two: 2, twice: 2, three: 3, thrice: 3 };

function times(words: string, wish: Wish | undefined): Wish[] {
  if (!wish) return [];
  const named = /\b(two|twice|three|thrice)\b/i.exec(words)?.[1]?.toLowerCase() ?? "";
  return Array.from({ length: COUNTS[named] ?? 1 }, () => wish);
}

const ADDRESS = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/;

function mailOf(words: string, memory: Memory): Wish | undefined {
  const to = ADDRESS.exec(words)?.[0] ?? memory.address;
  if (to === undefined) return undefined;
  memory.address = to;
  const about = words
    .replace(/^(?:e-?mail|mail|send)\s*/i, "")
    .replace(ADDRESS, "")
    .replace(/\b(?:an?|the)\s+e?-?mail\b/i, "")
    .replace(/\b(?:her|him|them|to|twice|thrice|(?:two|three) times)\b/gi, "")
    .replace(/^\s*about\b/i, "");
  const topic = topicOf(about, memory) ?? "Hello";
  return {
    tool: "send_email",
    input: { to, subject: capital(topic), body: `Hello,\n\nhere is the ${topic}.\n\nYour agent` },
  };
}

function chargeOf(words: string, memory: Memory): Wish | undefined {
  const customer = /\bcustomer\s+#?(\w+)/i.exec(words)?.[1];
  const rest = words.replace(/\bcustomer\s+#?\w+/i, "");
  const amount = /(-?\d+(?:[.,]\d{1,2})?)\s*(?:euros?|eur|€)|€\s*(-?\d+(?:[.,]\d{1,2})?)/i.exec(
    rest,
  );
  const figure = amount?.[1] ?? amount?.[2];
  if (customer === undefined || figure === undefined) return undefined;
  memory.address = customerOf(customer).email;
  const named = /\bfor\s+(.+)$/i.exec(rest)?.[1];
  const purpose = (named !== undefined && topicOf(named, memory)) || "order";
  return {
    tool: "charge_card",
    input: {
      customer,
      amount: Number(figure.replace(",", ".")),
      purpose,
      memo: `Charged by the agent for the ${purpose}`,
    },
  };
}

function ticketOf(words: string, memory: Memory): Wish {
  const about =
    /\btickets?\b\s*(?:(?:about|for|that|saying|on)\b)?\s*(.*)$/i.exec(words)?.[1] ?? "";
  const topic = topicOf(about, memory) ?? "Follow-up";
  return {
    tool: "create_ticket",
    input: { title: capital(topic), description: `Opened by the agent about: ${topic}.` },
  };
}

function lookUpsOf(words: string, memory: Memory): Wish[] {
  const customer = /\bcustomer\s+#?(\w+)/i.exec(words)?.[1];
  const to = ADDRESS.exec(words)?.[0];
  if (customer !== undefined) memory.address = customerOf(customer).email;
  if (/\btickets?\b/i.test(words)) return [{ tool: "list_tickets", input: {} }];
  if (/\bcharge[sd]?\b/i.test(words)) {
    return [{ tool: "list_charges", input: customer === undefined ? {} : { customer } }];
  }
  if (/\b(?:e-?mails?|mails?|sent|send)\b/i.test(words)) {
    return [{ tool: "list_sent_emails", input: to === undefined ? {} : { to } }];
  }
  return customer === undefined ? [] : [{ tool: "find_customer", input: { customer } }];
}

/** The thing a clause is about: without articles, with "it" resolved. Remembers it. */
function topicOf(words: string, memory: Memory): string | undefined {
  const topic = words
    .replace(/\b(?:twice|thrice|(?:two|three) times)\b/gi, "")
    .trim()
    .replace(/^(?:the|an?)\s+/i, "")
    .replace(/\s+/g, " ")
    .trim();
  if (topic === "" || /^(?:it|that|this)$/i.test(topic)) return memory.topic;
  memory.topic = topic;
  return topic;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
