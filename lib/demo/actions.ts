/**
 * The demo agent's actions: three writes, each of another kind, and reads that can look at what the writes did.
 * `identity` says what makes two calls the same effect; the other fields may be reworded.
 */
import * as z from "zod";
import {
  type Action,
  type ActionContext,
  ActionRejected,
  defineAction,
} from "../runtime/action.ts";
import { customerOf } from "./customers.ts";
import { deliver, type World, work } from "./world.ts";

/** Effects that a read looks through, the newest. Source: far more than a demo makes. */
const LIST_MAX = 10_000;
/** Other runs' effects in one result. Source: a result that a person can still read. */
const SHOWN_MAX = 50;

export function demoActions(world: World): Action[] {
  return [...writes(world), ...reads(world)];
}

function writes(world: World): Action[] {
  return [
    defineAction({
      name: "send_email",
      description: "Sends an e-mail. The mail server takes every request as a new mail.",
      schema: z.object({
        to: z.email().describe("Address of the recipient"),
        subject: z.string().min(1).max(200),
        body: z.string().max(10_000),
      }),
      identity: ({ to, subject }) => ({ to, subject }),
      run: async (input, context) => {
        const effect = await deliver(world, { action: "send_email", input }, context);
        return { messageId: idOf("msg", effect.id), to: input.to, subject: input.subject };
      },
    }),
    defineAction({
      name: "charge_card",
      description: "Charges a customer's card. The payment provider honours the idempotency key.",
      schema: z.object({
        customer: z.string().min(1).describe("Number of the customer"),
        amount: z.number().describe("Euros, at most two decimals"),
        purpose: z.string().min(1).max(200),
        memo: z.string().max(500).optional(),
      }),
      identity: ({ customer, amount, purpose }) => ({ customer, amount, purpose }),
      idempotent: true,
      run: async (input, context) => {
        if (input.amount <= 0) throw new ActionRejected("The amount has to be more than 0.");
        const write = { action: "charge_card", input, onceByKey: true };
        const effect = await deliver(world, write, context);
        return { chargeId: idOf("ch", effect.id), customer: input.customer, amount: input.amount };
      },
    }),
    defineAction({
      name: "create_ticket",
      description: "Opens a support ticket.",
      schema: z.object({
        title: z.string().min(1).max(200),
        description: z.string().max(10_000).optional(),
      }),
      identity: ({ title }) => ({ title }),
      run: async (input, context) => {
        const effect = await deliver(world, { action: "create_ticket", input }, context);
        return { ticketId: idOf("T", effect.id), title: input.title };
      },
    }),
  ];
}

function reads(world: World): Action[] {
  // The world is shared; what this run itself has sent is marked, so that an old mail is not taken for a new one.
  const list = (action: string, context: ActionContext) => effectsSeenBy(world, action, context);
  return [
    defineAction({
      name: "list_sent_emails",
      description: "Lists the e-mails that were really sent.",
      schema: z.object({ to: z.string().optional(), subject: z.string().optional() }),
      readOnly: true,
      run: async ({ to, subject }, context) => {
        await work(world, "list_sent_emails", context);
        const emails = (await list("send_email", context)).map(({ id, input, at, byThisRun }) => ({
          messageId: idOf("msg", id),
          ...(input as { to: string; subject: string; body?: string }),
          body: undefined,
          at,
          byThisRun,
        }));
        const found = emails.filter(
          (mail) => (!to || mail.to === to) && (!subject || mail.subject === subject),
        );
        return { count: found.length, emails: shown(found) };
      },
    }),
    defineAction({
      name: "list_charges",
      description: "Lists the charges that were really made.",
      schema: z.object({ customer: z.string().optional() }),
      readOnly: true,
      run: async ({ customer }, context) => {
        await work(world, "list_charges", context);
        const charges = (await list("charge_card", context)).map(
          ({ id, input, at, byThisRun }) => ({
            chargeId: idOf("ch", id),
            ...(input as { customer: string; amount: number; purpose: string }),
            at,
            byThisRun,
          }),
        );
        const found = charges.filter((charge) => !customer || charge.customer === customer);
        return { count: found.length, charges: shown(found) };
      },
    }),
    defineAction({
      name: "list_tickets",
      description: "Lists the open tickets.",
      schema: z.object({ title: z.string().optional() }),
      readOnly: true,
      run: async ({ title }, context) => {
        await work(world, "list_tickets", context);
        const tickets = (await list("create_ticket", context)).map(
          ({ id, input, at, byThisRun }) => ({
            ticketId: idOf("T", id),
            title: (input as { title: string }).title,
            at,
            byThisRun,
          }),
        );
        const found = tickets.filter((ticket) => !title || ticket.title === title);
        return { count: found.length, tickets: shown(found) };
      },
    }),
    defineAction({
      name: "find_customer",
      description: "Finds a customer by number.",
      schema: z.object({ customer: z.string().min(1) }),
      readOnly: true,
      run: async ({ customer }, context) => {
        await work(world, "find_customer", context);
        return customerOf(customer);
      },
    }),
  ];
}

/** All effects of an action; this run's own are among them however many others there are. */
async function effectsSeenBy({ effects }: World, action: string, { runId }: ActionContext) {
  const [all, own] = await Promise.all([
    effects.list({ action, limit: LIST_MAX }),
    effects.list({ action, runId, limit: LIST_MAX }),
  ]);
  const known = new Set(all.effects.map(({ id }) => id));
  return [...all.effects, ...own.effects.filter(({ id }) => !known.has(id))].map((effect) => ({
    ...effect,
    byThisRun: effect.runId === runId,
  }));
}

/** The newest of what was found, and everything of this run: an own effect that is left out would be done again. */
function shown<T extends { readonly byThisRun: boolean }>(found: readonly T[]): readonly T[] {
  return found.filter((each, i) => each.byThisRun || i >= found.length - SHOWN_MAX);
}

/** The world's name for an effect: `msg-17`, `ch-17`, `T-17`. */
function idOf(prefix: string, effectId: string): string {
  return `${prefix}-${effectId.replace(/^\D+/, "")}`;
}
