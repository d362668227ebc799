import { expect, test } from "@jest/globals";
import type { Balance } from "./balance.ts";
import {
  complete,
  fail,
  isOverdue,
  next,
  type Refund,
  STATUSES,
  submission,
  TRANSITIONS,
  type Trigger,
} from "./refund.ts";

const HASH = `0x${"ab".repeat(32)}`;

const BALANCE: Balance = {
  payment_id: "pay_000000000000000000000000",
  project_id: "proj_000000000000000000000000",
  mode: 1,
  amount: 100n,
  cap: 100n,
  reserved: 70n,
  completed: 40n,
  refunds: 2,
  declared: false,
};

const aRefund = (change: Partial<Refund> = {}): Refund => ({
  id: "refund_000000000000000000000000",
  project_id: BALANCE.project_id,
  mode: 1,
  payment_id: BALANCE.payment_id,
  status: "created",
  amount: "0.00003",
  base_amount: 30n,
  decimals: 6,
  currency: "native",
  chain_id: 1n,
  order_id: null,
  payment_base_amount: 100n,
  source_address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  destination_address: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  payer_address: null,
  sender_address: "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359",
  customer_id: null,
  reason: null,
  failure_reason: null,
  tx_hash: null,
  block_number: null,
  refunded_base_amount: 0n,
  created_at: new Date(0),
  completed_at: null,
  version: 1,
  ...change,
});

test("the table of moves is this one", () => {
  const triggers = Object.keys(TRANSITIONS) as Trigger[];
  const line = (cells: string[]) =>
    cells
      .map((cell) => cell.padEnd(11))
      .join("")
      .trimEnd();
  const rows = STATUSES.map((status) =>
    line([status, ...triggers.map((trigger) => next(status, trigger) ?? "-")]),
  );
  expect([line(["", ...triggers]), ...rows].join("\n")).toBe(
    `
           submit     complete   fail
created    created    completed  failed
completed  -          -          -
failed     -          -          -
`.slice(1, -1),
  );
});

test("a completed refund counts as given back and tells the sum", () => {
  const now = new Date(5);
  const settled = complete(aRefund(), BALANCE, { txHash: HASH, blockNumber: 7n, now });
  expect(settled).toEqual({
    event: "refund.completed",
    balance: { ...BALANCE, completed: 70n },
    refund: aRefund({
      status: "completed",
      tx_hash: HASH,
      block_number: 7n,
      completed_at: now,
      refunded_base_amount: 70n,
      version: 2,
    }),
  });
});

test("a failed refund gives back what it held", () => {
  const settled = fail(aRefund(), BALANCE, "reverted");
  expect(settled).toMatchObject({
    event: "refund.failed",
    balance: { reserved: 40n, completed: 40n },
    refund: { status: "failed", failure_reason: "reverted", version: 2 },
  });
});

test("a settled refund is settled for good", () => {
  const proof = { txHash: HASH, blockNumber: 7n, now: new Date(5) };
  for (const status of ["completed", "failed"] as const) {
    expect(complete(aRefund({ status }), BALANCE, proof)).toBeUndefined();
    expect(fail(aRefund({ status }), BALANCE, "timeout")).toBeUndefined();
  }
});

test("a hash is taken in any spelling of its digits and kept in one", () => {
  const upper = `0x${"AB".repeat(32)}`;
  expect(submission(aRefund(), upper)).toMatchObject({ kind: "taken", refund: { tx_hash: HASH } });
  expect(submission(aRefund({ tx_hash: HASH }), upper)).toEqual({ kind: "unchanged" });
});

test("submitting a hash is no change of state", () => {
  expect(submission(aRefund(), HASH)).toMatchObject({ refund: { status: "created", version: 1 } });
});

test("a refund has one hash", () => {
  const other = `0x${"cd".repeat(32)}`;
  expect(submission(aRefund({ tx_hash: other }), HASH)).toEqual({
    kind: "refused",
    message: "Refund already has another transaction",
  });
  expect(submission(aRefund({ status: "failed" }), HASH)).toEqual({
    kind: "refused",
    message: "Refund is failed; expected created",
  });
});

test("what is no hash is refused", () => {
  for (const text of ["", "0x", "ab".repeat(32), `0x${"ab".repeat(31)}`, `0x${"zz".repeat(32)}`]) {
    expect(submission(aRefund(), text)).toMatchObject({ kind: "malformed" });
  }
});

test("a refund is overdue only while nobody has sent anything", () => {
  const later = new Date(1);
  expect(isOverdue(aRefund(), later)).toBe(true);
  expect(isOverdue(aRefund(), new Date(0))).toBe(false);
  expect(isOverdue(aRefund({ tx_hash: HASH }), later)).toBe(false);
  expect(isOverdue(aRefund({ status: "failed" }), later)).toBe(false);
});
