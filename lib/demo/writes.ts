/**
 * The demo agent's writes, each of another kind: a mail that nobody can take back or ask for, a charge whose
 * provider honours the key and can be asked, and a ticket that lives in the ledger's own database. `identity` says
 * what makes two calls the same effect; the other fields may be reworded.
 */
import * as z from "zod";
import type { Effect } from "../core/run-record.ts";
import { type Action, ActionRejected, defineAction } from "../runtime/action.ts";
import { idOf } from "./effect-ids.ts";
import { deliver, lookUp, prepare, type World } from "./world.ts";

/** Charges of so many euros are made only with a person's leave. */
const APPROVAL_FROM = 10_000;

export function demoWrites(world: World): Action[] {
  return [sendEmail(world), chargeCard(world), createTicket(world)];
}

function sendEmail(world: World): Action {
  return defineAction({
    name: "send_email",
    description: "Sends an e-mail. The mail server takes every request as a new mail.",
    schema: z.object({
      to: z.email().describe("Address of the recipient"),
      subject: z.string().min(1).max(200),
      body: z.string().max(10_000),
    }),
    identity: ({ to, subject }) => ({ to, subject }),
    // "ADA@example.com" is the same reader: a person says whether it is the same mail.
    onNear: "hold",
    run: async (input, context) => {
      const effect = await deliver(world, { action: "send_email", input }, context);
      return { messageId: idOf("msg", effect.id), to: input.to, subject: input.subject };
    },
  });
}

function chargeCard(world: World): Action {
  return defineAction({
    name: "charge_card",
    description:
      "Charges a customer's card. The payment provider honours the idempotency key and can be asked for it.",
    schema: z.object({
      customer: z.string().min(1).describe("Number of the customer"),
      amount: z.number().describe("Euros, at most two decimals"),
      purpose: z.string().min(1).max(200),
      memo: z.string().max(500).optional(),
    }),
    identity: ({ customer, amount, purpose }) => ({ customer, amount, purpose }),
    idempotent: true,
    verify: async (_input, { idempotencyKey }) => {
      const effect = await lookUp(world, { action: "charge_card", idempotencyKey });
      const evidence = { lookedUp: idempotencyKey, found: effect?.id ?? null };
      if (!effect) return { outcome: "absent", evidence };
      return { outcome: "landed", result: chargeOf(effect), evidence };
    },
    // Believed at once: should the charge still be on its way, the key makes the repeat the same one.
    settleMs: 0,
    approval: ({ amount }) => amount >= APPROVAL_FROM,
    run: async (input, context) => {
      if (input.amount <= 0) throw new ActionRejected("The amount has to be more than 0.");
      const write = { action: "charge_card", input, onceByKey: true };
      return chargeOf(await deliver(world, write, context));
    },
  });
}

function chargeOf({ id, input }: Effect) {
  const { customer, amount } = input as { readonly customer: string; readonly amount: number };
  return { chargeId: idOf("ch", id), customer, amount };
}

function createTicket(world: World): Action {
  return defineAction({
    name: "create_ticket",
    description: "Opens a support ticket, in the ledger's own database.",
    schema: z.object({
      title: z.string().min(1).max(200),
      description: z.string().max(10_000).optional(),
    }),
    identity: ({ title }) => ({ title }),
    transactional: true,
    run: async (input, context) => {
      const commit = await prepare(world, { action: "create_ticket", input }, context);
      return async (tx) => ({ ticketId: idOf("T", (await commit(tx)).id), title: input.title });
    },
  });
}
