/** People, amounts and counts in the words of a request. A word that only looks like one is left where it is. */
import { customerNamed, customerOf } from "./customers.ts";

/** Somebody who was named; `customer` is the number, where it is known. */
export interface Person {
  readonly email: string;
  readonly customer: string | undefined;
}

const ADDRESS = String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`;
const NUMBERED = String.raw`customer\s+(?:number\s+|no\.?\s+)?#?\w+`;
const PRONOUN = "her|him|them";
const ONE = String.raw`(?:${ADDRESS}|${NUMBERED}|(?:${PRONOUN})\b|[a-z]+\b)`;
/** Words that stand where a name could, and are none. */
const NO_NAME =
  /^(?:an?|the|it|this|that|these|those|my|our|your|his|their|two|three|four|five|about|all|another|some|one|to)$/i;

/** Finds whom a mail goes to: named directly after the verb, or behind "to". `rest` is what is left. */
export function recipientsIn(
  words: string,
  remembered: Person | undefined,
): { readonly people: readonly Person[]; readonly rest: string } {
  const list = String.raw`${ONE}(?:\s*(?:,\s*and\b|,|\band\b|&)\s*(?:${ADDRESS}|${NUMBERED}|(?:${PRONOUN})\b))*`;
  const direct = new RegExp(`^(${list})`, "i").exec(words);
  if (direct?.[1] !== undefined && isPerson(direct[1], words)) {
    return { people: peopleOf(direct[1], remembered), rest: words.slice(direct[1].length).trim() };
  }
  const behind = [...words.matchAll(new RegExp(String.raw`\bto\s+(${list})`, "gi"))].find(
    ([, named = ""]) => peopleOf(named, remembered).length > 0,
  );
  if (behind) return { people: peopleOf(behind[1] ?? "", remembered), rest: cutOut(words, behind) };
  const isNamed = new RegExp(`${ADDRESS}|\\bto\\s+(?!it\\b)[a-z]+\\s*$`, "i").test(words);
  return { people: remembered && !isNamed ? [remembered] : [], rest: words };
}

/** Finds the customer that a charge or a look-up names, else the one spoken of before. */
export function personIn(
  words: string,
  remembered: Person | undefined,
): { readonly person: Person | undefined; readonly rest: string } {
  const named = new RegExp(`${ADDRESS}|${NUMBERED}`, "i").exec(words);
  if (named) return { person: personOf(named[0], remembered), rest: cutOut(words, named) };
  const first = [...words.matchAll(/[a-z]+/gi)].find(([word]) => customerNamed(word));
  if (first) return { person: personOf(first[0], remembered), rest: cutOut(words, first) };
  const isPronoun = new RegExp(`^(?:${PRONOUN})\\b`, "i").test(words);
  return { person: isPronoun ? remembered : undefined, rest: words };
}

/** A name that nobody knows is still a name: "email bob the report" must not go to somebody else. */
function isPerson(named: string, words: string): boolean {
  const first = named.split(/[\s,&]/)[0] ?? "";
  if (NO_NAME.test(first)) return false;
  if (!/^[a-z]+$/i.test(named) || new RegExp(`^(?:${PRONOUN})$`, "i").test(named)) return true;
  if (customerNamed(named)) return true;
  return /^[a-z]+(?:\s+(?:an?|the|my|our|about|that|two|three)\b|\s*$)/i.test(words);
}

function peopleOf(named: string, remembered: Person | undefined): Person[] {
  return [...named.matchAll(new RegExp(`${ADDRESS}|${NUMBERED}|[a-z]+`, "gi"))].flatMap(
    ([each]) => personOf(each, remembered) ?? [],
  );
}

function personOf(named: string, remembered: Person | undefined): Person | undefined {
  if (named.includes("@")) return { email: named, customer: customerNamed(named)?.id };
  if (new RegExp(`^(?:${PRONOUN})$`, "i").test(named)) return remembered;
  const number = new RegExp(NUMBERED, "i").test(named) ? /\w+$/.exec(named)?.[0] : undefined;
  const customer = customerNamed(number ?? named) ?? (number && customerOf(number));
  return customer ? { email: customer.email, customer: customer.id } : undefined;
}

function cutOut(words: string, { 0: found, index }: RegExpExecArray): string {
  return `${words.slice(0, index)} ${words.slice(index + found.length)}`
    .replace(/\s+/g, " ")
    .trim();
}

const FIGURE = String.raw`(?<![\w.,-])(-?(?:\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,]\d{1,2})?)`;
const AMOUNT = new RegExp(
  String.raw`${FIGURE}\s*(?:euros?\b|eur\b|€)|(?:€|\beur(?:os?)?\b)\s*(-?(?:\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,]\d{1,2})?)(?![\d.,]*\d)`,
  "i",
);

/** Finds an amount in euros: `20`, `20.50`, `20,50`, `1,250.00`, `1.250,00`. */
export function amountIn(
  words: string,
): { readonly amount: number; readonly rest: string } | undefined {
  const found = AMOUNT.exec(words);
  const figure = found?.[1] ?? found?.[2];
  if (!found || figure === undefined) return undefined;
  // The last separator counts decimals when one or two digits follow it, else thousands, as every other one.
  const [, whole = "", decimals = ""] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(figure) ?? [];
  const amount = Number(`${whole.replace(/[.,]/g, "")}.${decimals || "0"}`);
  return { amount, rest: cutOut(words, found) };
}

const COUNTS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5 };
const HOW_MANY = String.raw`(two|three|four|five|[2-9])`;
/** "twice", "3 times", or a number directly before what is made: never a number inside what it is about. */
const TIMES = new RegExp(String.raw`\b(?:(twice|thrice)|${HOW_MANY}\s+times)\b`, "i");
const QUANTITY = new RegExp(
  String.raw`^(?:e-?mail|mail|send|open|create|file|raise)\s+(?:to\s+)?(?:${ADDRESS}\s+|(?:${PRONOUN})\s+)?${HOW_MANY}\s+(?:\w+\s+)?(?:e-?mails?|mails?|messages?|copies|receipts|tickets)\b`,
  "i",
);

/** How often a clause wants its thing. */
export function countIn(words: string): number {
  const [, adverb, figure] = TIMES.exec(words) ?? [];
  if (adverb !== undefined) return adverb.toLowerCase() === "twice" ? 2 : 3;
  const named = (figure ?? QUANTITY.exec(words)?.[1])?.toLowerCase();
  return named === undefined ? 1 : (COUNTS[named] ?? Number(named));
}

/** The words without "twice" and the like. */
export function withoutTimes(words: string): string {
  return words.replace(TIMES, " ").replace(/\s+/g, " ").trim();
}

const LEADING_COPIES = new RegExp(String.raw`^${HOW_MANY}\s+copies\s+of\b`, "i");
const LEADING_FIGURE = new RegExp(
  String.raw`^${HOW_MANY}\s+(?=(?:\w+\s+)?(?:e-?mails?|mails?|messages?|receipts|tickets)\b)`,
  "i",
);

/** The words behind a verb without what `countIn` has read. */
export function withoutCounts(words: string): string {
  return withoutTimes(words).replace(LEADING_COPIES, "").replace(LEADING_FIGURE, "").trim();
}
