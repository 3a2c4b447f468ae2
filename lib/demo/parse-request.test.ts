import { expect, test } from "vitest";
import { parseRequest } from "./parse-request.ts";

/** Steps as short lines, free text left out. */
function read(text: string): string[][] {
  return parseRequest(text).map((step) =>
    step.map(({ tool, input }) => {
      const { body: _b, memo: _m, description: _d, ...told } = input;
      return `${tool} ${Object.values(told).join(" | ")}`.trim();
    }),
  );
}

test.each<[string, string[][]]>([
  ["Email ada@example.com the March report", [["send_email ada@example.com | March report"]]],
  [
    "Email ada@example.com the March report and open a ticket about it",
    [["send_email ada@example.com | March report", "create_ticket March report"]],
  ],
  [
    "Charge customer 42 20 euros, then email her the receipt",
    [["charge_card 42 | 20 | order"], ["send_email ada@example.com | Receipt"]],
  ],
  [
    "Please charge customer 7 €20.50 for the March invoice",
    [["charge_card 7 | 20.5 | March invoice"]],
  ],
  ["Charge customer 7 20,50 EUR", [["charge_card 7 | 20.5 | order"]]],
  ["How many open tickets are there?", [["list_tickets"]]],
  ["What did we send to ada@example.com?", [["list_sent_emails ada@example.com"]]],
  ["List charges of customer 42", [["list_charges 42"]]],
  [
    "Look up customer 99 and then email him the offer",
    [["find_customer 99"], ["send_email alan@example.com | Offer"]],
  ],
  [
    "Email ada@example.com the report twice",
    [["send_email ada@example.com | Report", "send_email ada@example.com | Report"]],
  ],
  [
    "Open two tickets about the broken login",
    [["create_ticket Broken login", "create_ticket Broken login"]],
  ],
  ["Send an email about the outage to ada@example.com", [["send_email ada@example.com | Outage"]]],
  [
    "Open a ticket that the login is broken, list tickets",
    [["create_ticket Login is broken", "list_tickets"]],
  ],
  [
    "Email ada@example.com the March report and open a ticket about it, then charge customer 42 20 euros",
    [
      ["send_email ada@example.com | March report", "create_ticket March report"],
      ["charge_card 42 | 20 | order"],
    ],
  ],
  ["Sing me a song", []],
  ["", []],
])("%s", (text, steps) => {
  expect(read(text)).toEqual(steps);
});
