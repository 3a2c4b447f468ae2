/**
 * Understands the small set of requests the demo agent can carry out: mail, charge, ticket, look-ups, several in one
 * sentence. Pure: a text in, the calls it asks for out, in steps; calls of one step do not depend on each other. What
 * it does not understand it names: guessing a recipient, an amount or a number of times would do a wrong thing.
 */
import { customerOf } from "./customers.ts";
import {
  amountIn,
  countIn,
  type Person,
  personIn,
  recipientsIn,
  withoutCounts,
  withoutTimes,
} from "./request-words.ts";

export interface Wish {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Steps in order; empty when nothing was understood. */
export type Plan = readonly (readonly Wish[])[];

/** What pronouns refer to while a sentence is read. */
interface Memory {
  person: Person | undefined;
  topic: string | undefined;
}

const VERB =
  /\b(?:(?:e-?mail|mail|send|charge|bill|list|show|which|look up|find)\b(?=\s+\S)|(?:open|create|file|raise)\s+(?:\w+\s+){0,3}tickets?\b|how many\b|what\b|who is\b)/gi;

/** What may stand before the verb of a request. A verb after anything else is part of what the request is about. */
const JOINT =
  /(?:^|[,;.?!]|\b(?:and|then|please|also|now|first|finally|afterwards|(?:can|could|would|will) you|(?:want|like|need) (?:you )?to|i'd like to))\s*$/i;

/** Subject of a mail about nothing in particular. */
const GREETING = "Hello";

/** Reads a request. */
export function parseRequest(text: string): Plan {
  return readRequest(text).steps;
}

/** The parts of a request that ask for something and were not understood. */
export function missedIn(text: string): readonly string[] {
  return readRequest(text).missed;
}

function readRequest(text: string): { readonly steps: Plan; readonly missed: readonly string[] } {
  const memory: Memory = { person: undefined, topic: undefined };
  const steps: Wish[][] = [];
  const missed: string[] = [];
  for (const { clause, isNext } of clausesOf(text)) {
    const words = clause
      .replace(/(?:\s*(?:\b(?:and|then|please|also|after that)\b|[,;.?!]))*\s*$/i, "")
      .trim();
    const wishes = wishesOf(words, memory);
    if (wishes.length === 0) missed.push(words);
    if (wishes.length === 0) continue;
    const step = steps.at(-1);
    if (step === undefined || isNext || needsResultOf(wishes, step)) steps.push([...wishes]);
    else step.push(...wishes);
  }
  return { steps, missed };
}

/** A receipt can be sent only when the charge is known. */
function needsResultOf(wishes: readonly Wish[], step: readonly Wish[]): boolean {
  return (
    wishes.some(({ input }) => /receipt/i.test(String(input["subject"]))) &&
    step.some(({ tool }) => tool === "charge_card")
  );
}

/** Cuts a text before each verb. `isNext`: it begins with "then" or the like, so it waits for what is before. */
function clausesOf(text: string): { clause: string; isNext: boolean }[] {
  const starts = [...text.matchAll(VERB)]
    .map(({ index }) => index)
    .filter((at) => JOINT.test(text.slice(0, at)));
  return starts.map((at, i) => ({
    clause: text.slice(at, starts[i + 1] ?? text.length),
    isNext: /\b(?:then|after that|afterwards)\W*$/i.test(text.slice(0, at)),
  }));
}

function wishesOf(words: string, memory: Memory): Wish[] {
  if (/^(?:open|create|file|raise)\b/i.test(words)) return times(words, [ticketOf(words, memory)]);
  if (/^(?:charge|bill)\b/i.test(words)) return times(words, chargeOf(words, memory));
  if (/^(?:e-?mail|mail|send)\b/i.test(words)) return times(words, mailsOf(words, memory));
  return lookUpsOf(words, memory);
}

function times(words: string, wishes: readonly Wish[]): Wish[] {
  return wishes.flatMap((wish) => Array.from({ length: countIn(words) }, () => wish));
}

function mailsOf(words: string, memory: Memory): Wish[] {
  const { people, rest } = recipientsIn(
    words.replace(/^(?:e-?mail|mail|send)\s+/i, ""),
    memory.person,
  );
  if (people.length === 0) return [];
  memory.person = people.at(-1);
  const about = withoutCounts(rest).replace(
    /^(?:an?|the)?\s*\b(?:e-?mails?|mails?|messages?)\b\s*/i,
    "",
  );
  const [, joint = "", named = ""] =
    /^\s*(about\b|regarding\b|on\b|that\b|saying\b|:)?\s*(.*)$/is.exec(about) ?? [];
  const topic = topicOf(named, memory) ?? GREETING;
  return people.map(({ email }) => ({
    tool: "send_email",
    input: {
      to: email,
      subject: capital(topic),
      body: `Hello,\n\n${bodyOf(joint, topic)}\n\nYour agent`,
    },
  }));
}

function bodyOf(joint: string, topic: string): string {
  if (topic === GREETING) return "this is a greeting.";
  if (/^(?:that|saying|:)$/i.test(joint)) return `${capital(topic)}.`;
  return joint === "" ? `here is the ${topic}.` : `this is about the ${topic}.`;
}

function chargeOf(words: string, memory: Memory): Wish[] {
  const object = words.replace(/^(?:charge|bill)\s+/i, "");
  const { person, rest } = personIn(object, memory.person);
  const found = amountIn(rest);
  if (person?.customer === undefined || found === undefined) return [];
  memory.person = person;
  const named = /\bfor\s+(.+)$/i.exec(found.rest)?.[1];
  const purpose = (named !== undefined && topicOf(named, memory)) || "order";
  const memo = `Charged by the agent for the ${purpose}`;
  return [
    {
      tool: "charge_card",
      input: { customer: person.customer, amount: found.amount, purpose, memo },
    },
  ];
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
  const { person } = personIn(words, undefined);
  if (person) memory.person = person;
  const customer = person?.customer;
  if (/\btickets?\b/i.test(words)) return [{ tool: "list_tickets", input: {} }];
  if (/\bcharge[sd]?\b/i.test(words)) {
    return [{ tool: "list_charges", input: customer === undefined ? {} : { customer } }];
  }
  if (/\b(?:e-?mails?|mails?|sent|send)\b/i.test(words)) {
    const to = person?.email;
    return [{ tool: "list_sent_emails", input: to === undefined ? {} : { to } }];
  }
  if (customer === undefined) return [];
  return [{ tool: "find_customer", input: { customer: customerOf(customer).id } }];
}

/** The thing a clause is about: without articles, with "it" resolved. Remembers it. */
function topicOf(words: string, memory: Memory): string | undefined {
  const topic = withoutTimes(words)
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
