import { expect, test } from "vitest";
import { missedIn, parseRequest } from "./parse-request.ts";

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
  [
    "Charge customer 42 20 euros and mail the receipt to her",
    [["charge_card 42 | 20 | order"], ["send_email ada@example.com | Receipt"]],
  ],
  ["Charge customer 42 1,250 euros", [["charge_card 42 | 1250 | order"]]],
  ["Charge customer 42 1.250,50 euros", [["charge_card 42 | 1250.5 | order"]]],
  ["Charge customer 42 EUR 20", [["charge_card 42 | 20 | order"]]],
  ["Charge €20 to customer 42", [["charge_card 42 | 20 | order"]]],
  ["Charge customer 42 -5 euros", [["charge_card 42 | -5 | order"]]],
  ["Charge Ada 20 euros for two tickets", [["charge_card 42 | 20 | two tickets"]]],
  [
    "Email ada@example.com the report on the two outages",
    [["send_email ada@example.com | Report on the two outages"]],
  ],
  [
    "Email ada@example.com a reminder to send the invoice",
    [["send_email ada@example.com | Reminder to send the invoice"]],
  ],
  ["Email ada@example.com about salt and mail", [["send_email ada@example.com | Salt and mail"]]],
  [
    "Email ada@example.com an introduction to physics",
    [["send_email ada@example.com | Introduction to physics"]],
  ],
  [
    "Email ada@example.com and bob@example.com the report",
    [["send_email ada@example.com | Report", "send_email bob@example.com | Report"]],
  ],
  [
    "Email Ada the report and open a ticket about it",
    [["send_email ada@example.com | Report", "create_ticket Report"]],
  ],
  [
    "Send two emails to ada@example.com about the outage",
    [["send_email ada@example.com | Outage", "send_email ada@example.com | Outage"]],
  ],
  [
    "Send ada@example.com 2 copies of the report",
    [["send_email ada@example.com | Report", "send_email ada@example.com | Report"]],
  ],
  ["Can you email ada@example.com the report?", [["send_email ada@example.com | Report"]]],
  ["What did you send to ada@example.com?", [["list_sent_emails ada@example.com"]]],
  ["Who is customer 42?", [["find_customer 42"]]],
  ["Sing me a song", []],
  ["", []],
])("%s", (text, steps) => {
  expect(read(text)).toEqual(steps);
});

test.each<[string, string[]]>([
  ["Email bob the report", ["Email bob the report"]],
  ["Mail the receipt to her", ["Mail the receipt to her"]],
  ["Charge customer 42 $20", ["Charge customer 42 $20"]],
  ["Charge customer 42 1234.567 euros", ["Charge customer 42 1234.567 euros"]],
  ["Charge her 20 euros", ["Charge her 20 euros"]],
  ["Charge customer 42 20 euros, then email bob the receipt", ["email bob the receipt"]],
  ["Email ada@example.com the report", []],
  ["Sing me a song", []],
])("what is not understood is named, not guessed: %s", (text, missed) => {
  expect(missedIn(text)).toEqual(missed);
});
