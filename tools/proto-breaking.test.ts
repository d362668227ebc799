// A change of messages that breaks nothing is excepted alone, word for word.
import { expect, test } from "@jest/globals";
import { breaksIn } from "./proto-breaking.ts";

const PATH = "proto/events/v1/events.proto";
const FIELD = 'Field "10" with name "payment" on message "Event" changed type from';
const MOVED = `${FIELD} "payments.v1.Payment" to "events.v1.PaymentSnapshot".`;

function reported(...changes: { path?: string; message: string }[]): string {
  return changes.map((change) => `${JSON.stringify({ start_line: 1, ...change })}\n`).join("");
}

test("the change that is proven to keep the bytes passes", () => {
  const deleted = 'Previously present file "projects/v1/projects.proto" was deleted.';
  expect(breaksIn(reported({ path: PATH, message: MOVED }, { message: deleted }))).toEqual([]);
  expect(breaksIn("")).toEqual([]);
});

test.each([
  { path: PATH, message: `${FIELD} "payments.v1.Payment" to "events.v1.RefundSnapshot".` },
  { path: PATH, message: `${FIELD} "events.v1.PaymentSnapshot" to "payments.v1.Payment".` },
  { path: PATH, message: MOVED.replace('"10"', '"11"') },
  { path: PATH, message: MOVED.replace('"Event"', '"PaymentSnapshot"') },
  { path: "proto/events/v2/events.proto", message: MOVED },
  { message: 'Previously present file "payments/v1/payments.proto" was deleted.' },
])("$message in $path does not", (change) => {
  const { path = "proto", message } = change;
  expect(breaksIn(reported({ path: PATH, message: MOVED }, change))).toEqual([
    `${path}: ${message}`,
  ]);
});
