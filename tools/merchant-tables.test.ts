// Tables of the documents that follow a table of the code: what a merchant can ask for, and why a payment failed.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { REASONS } from "@pay/values";
import {
  PAYMENT_EXTRAS,
  PAYMENT_RELATIONS,
} from "../services/gateway/src/api/payments/response.ts";

function readRows(path: string, heading: string): string {
  return readFileSync(path, "utf8").split(`\n| ${heading} | `)[1]?.split("\n\n")[0] ?? "";
}

/** The search for a payment's transaction ends with expired, and any wallet may pay it. */
const NOT_OF_PAYMENTS: readonly string[] = ["not_found", "payer_mismatch"];

test.each([
  // What has left the chain again is told by the sums.
  ["services/chains/README.md", "outcome", REASONS.filter((name) => name !== "reorged")],
  ["docs/api.md", "`failureCode`", REASONS.filter((name) => !NOT_OF_PAYMENTS.includes(name))],
])("%s has a row of each reason", (path, heading, reasons) => {
  const rows = readRows(path, heading);
  expect(reasons.filter((reason) => !rows.includes(`\n| \`${reason}\` | `))).toEqual([]);
});

test("docs/api.md names all that a payment shows on request", () => {
  const rows = readRows("docs/api.md", "`expand=`");
  const names = [...PAYMENT_EXTRAS, ...PAYMENT_RELATIONS];
  expect(names.filter((name) => !rows.includes(`\`${name}\``))).toEqual([]);
});
