/** The demo agent's reads: they look at what the writes did, so that a resumed model can check before it repeats. */
import * as z from "zod";
import { type Action, type ActionContext, defineAction } from "../runtime/action.ts";
import { customerOf } from "./customers.ts";
import { idOf } from "./effect-ids.ts";
import { type World, work } from "./world.ts";

/** Effects that a read looks through, the newest. Source: far more than a demo makes. */
const LIST_MAX = 10_000;
/** Other runs' effects in one result. Source: a result that a person can still read. */
const SHOWN_MAX = 50;

export function demoReads(world: World): Action[] {
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
