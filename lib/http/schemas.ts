/** What requests may carry. The edge's only schemas; everything behind them works with checked values. */
import * as z from "zod";
import { FAULT_KINDS, FAULT_POINTS, TEMPERS } from "../core/run-record.ts";

const fault = z.strictObject({
  at: z.enum(FAULT_POINTS),
  as: z.enum(FAULT_KINDS),
  action: z.string().min(1).max(64).optional(),
  attempt: z.int().min(1).max(1_000).optional(),
  nth: z.int().min(1).max(1_000).optional(),
});

const model = z.union(
  [
    z.strictObject({ temper: z.enum(TEMPERS) }),
    z.strictObject({ provider: z.string().min(1).max(64), model: z.string().min(1).max(200) }),
  ],
  { error: `expected { temper: ${TEMPERS.map((temper) => `"${temper}"`).join(" | ")} }` },
);

/** Something that shows when it is printed: white space, controls and zero-width characters do not. */
const VISIBLE = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;

const clientToken = z.string().min(1).max(200);

export const messageBody = (messageCharsMax: number) =>
  z.object({
    text: z
      .string()
      .max(messageCharsMax)
      .refine((text) => VISIBLE.test(text), "expected more than white space"),
    clientToken: clientToken.optional(),
    model: model.optional(),
    faults: z.array(fault).max(20).optional(),
  });

export const resolveBody = z.object({
  outcome: z.enum(["landed", "absent", "again", "approved", "denied"]),
  result: z.unknown().optional(),
  reason: z.string().max(2_000).optional(),
  seenSeq: z.int().min(0).optional(),
});

export const cutBody = z.object({ as: z.enum(FAULT_KINDS) });

export const emptyBody = z.looseObject({});

export const runsQuery = z.object({
  status: z.enum(["running", "waiting", "done", "failed", "cancelled"]).optional(),
  q: z.string().max(200).optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(30),
});

export const effectsQuery = z.object({
  runId: z.string().min(1).max(100).optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(500),
});

export const pageQuery = (pageEventsMax: number) =>
  z.object({ limit: z.coerce.number().int().min(1).max(pageEventsMax).default(pageEventsMax) });

export const actionHeaders = z.object({
  "idempotency-key": z.string({ error: "a POST needs this header" }).min(1).max(180),
});
