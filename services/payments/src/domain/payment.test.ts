import { expect, test } from "@jest/globals";
import { move, type Payment, type Status, TRANSITIONS, type Trigger } from "./payment.ts";

const STATUSES: Status[] = [
  "created",
  "pending",
  "processing",
  "confirmed",
  "failed",
  "expired",
  "refunded",
];

const aPayment = (status: Status): Payment => ({
  id: "pay_000000000000000000000000",
  project_id: "proj_000000000000000000000000",
  mode: 1,
  variant: 1,
  status,
  amount: "1.5",
  base_amount: 1_500_000n,
  decimals: 6,
  currency: "native",
  chain_id: 1n,
  recipient_address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  description: null,
  metadata_json: null,
  qr_mode: false,
  order_id: null,
  customer_id: null,
  secret_version: 1,
  expires_at: new Date(1_800_000),
  created_at: new Date(0),
  confirmed_at: null,
  refunded_at: null,
  refund_declared: false,
  tx_hash: null,
  block_number: null,
  payer_address: null,
  sender_address: null,
  received_base_amount: null,
  failure_code: null,
  attempts: 0,
  version: 1,
});

test("the table of moves is this one", () => {
  const triggers = Object.keys(TRANSITIONS) as Trigger[];
  const rows = STATUSES.map((status) =>
    [status, ...triggers.map((trigger) => move(aPayment(status), trigger, {})?.status ?? "-")]
      .map((cell) => cell.padEnd(11))
      .join("")
      .trimEnd(),
  );
  const header = ["", ...triggers]
    .map((cell) => cell.padEnd(11))
    .join("")
    .trimEnd();
  expect([header, ...rows].join("\n")).toBe(
    `
           submit     confirm    fail       expire     refund     refundPart
created    processing -          -          expired    -          -
pending    processing -          -          expired    -          -
processing processing confirmed  failed     expired    -          -
confirmed  -          -          -          -          refunded   confirmed
failed     processing -          -          -          -          -
expired    -          confirmed  -          -          -          -
refunded   -          -          -          -          -          -
`.slice(1, -1),
  );
});

test("a move counts the version up and leaves the payment it was made from alone", () => {
  const before = aPayment("created");
  const after = move(before, "submit", { tx_hash: "0xaa", attempts: 1 });
  expect(after).toEqual({
    ...before,
    status: "processing",
    tx_hash: "0xaa",
    attempts: 1,
    version: 2,
  });
  expect(before.status).toBe("created");
});
