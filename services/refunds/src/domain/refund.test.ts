import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { type Amount, type TxHash, toAmount, toTxHash } from "@pay/values";
import type { Balance } from "./balance.ts";
import {
  complete,
  fail,
  isOverdue,
  next,
  type Refund,
  refute,
  STATUSES,
  submission,
  TRANSITIONS,
  type Trigger,
} from "./refund.ts";

const HASH = toTxHash(`0x${"ab".repeat(32)}`);

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

function aRefund(change: Partial<Refund> = {}): Refund {
  return {
    id: "refund_000000000000000000000000",
    project_id: BALANCE.project_id,
    mode: 1,
    payment_id: BALANCE.payment_id,
    status: "created",
    amount: "0.00003",
    base_amount: toAmount(30n),
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
    held_reason: null,
    tx_hash: null,
    other_hashes: null,
    block_number: null,
    refunded_base_amount: 0n,
    payment_confirmed_at: new Date(0),
    created_at: new Date(0),
    completed_at: null,
    payout_wallets: [],
    paid_from: null,
    version: 1,
    service_signed: false,
    ...change,
  };
}

test("the table of moves is this one", () => {
  const triggers = Object.keys(TRANSITIONS) as Trigger[];
  function line(cells: string[]) {
    return cells
      .map((cell) => cell.padEnd(11))
      .join("")
      .trimEnd();
  }

  const rows = STATUSES.map((status) =>
    line([status, ...triggers.map((trigger) => next(status, trigger) ?? "-")]),
  );
  expect([line(["", ...triggers]), ...rows].join("\n")).toBe(
    `
           submit     refute     complete   fail
created    created    created    completed  failed
completed  -          -          -          -
failed     -          -          -          -
`.slice(1, -1),
  );
});

test("a completed refund counts as refunded and carries the sum", () => {
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
  expect(submission(aRefund(), upper)).toMatchObject({ kind: "taken", record: { tx_hash: HASH } });
  expect(submission(aRefund({ tx_hash: HASH }), upper)).toEqual({ kind: "unchanged" });
});

test("submitting a hash is no change of state", () => {
  expect(submission(aRefund(), HASH)).toMatchObject({ record: { status: "created", version: 1 } });
});

const OTHER = toTxHash(`0x${"cd".repeat(32)}`);
function refutation(hash: TxHash, reason: string, received?: Amount) {
  return {
    hash,
    reason,
    received,
  };
}

test("another hash may follow, five in all", () => {
  let refund = aRefund();
  for (let at = 1; at <= 5; at++) {
    const result = submission(refund, `0x${String(at).repeat(64)}`);
    if (result instanceof Failure || result.kind !== "taken")
      throw new Error(`hash ${at} is taken`);
    refund = result.record;
  }
  expect(submission(refund, `0x${"1".repeat(64)}`)).toEqual({ kind: "unchanged" });
  expect(submission(refund, HASH)).toMatchObject({
    errorCode: "refund_transactions_exhausted",
    message: "Refund already has 5 transactions",
  });
  expect(submission(aRefund({ status: "failed" }), HASH)).toMatchObject({
    errorCode: "refund_status_invalid",
    message: "Refund is failed; expected created",
  });
});

test("a refutation fails a refund only when no other hash waits for its verdict", () => {
  const both = aRefund({ tx_hash: OTHER, other_hashes: [{ hash: HASH, verdict: null }] });
  for (const [first, last] of [
    [OTHER, HASH],
    [HASH, OTHER],
  ] as const) {
    const once = refute(both, BALANCE, refutation(first, "reverted"));
    expect(once).toMatchObject({
      event: "refund.refuted",
      balance: BALANCE,
      refund: { status: "created", tx_hash: last, version: 1 },
    });
    const twice = once && refute(once.refund, once.balance, refutation(last, "wrong_token"));
    expect(twice).toMatchObject({
      event: "refund.failed",
      balance: { reserved: 40n },
      refund: { status: "failed", failure_reason: "wrong_token", version: 2 },
    });
  }
});

test("a refund whose money a transaction has moved neither fails nor frees what it holds, whatever follows", () => {
  for (const reason of ["predates_payment", "transfer_already_used"]) {
    const held = refute(
      aRefund({ tx_hash: HASH }),
      BALANCE,
      refutation(HASH, reason, toAmount(30n)),
    );
    expect(held).toMatchObject({
      event: "refund.refuted",
      balance: BALANCE,
      refund: { status: "created", held_reason: reason, tx_hash: HASH },
    });
    if (held === undefined) throw new Error("a refutation is noted");
    expect(refute(held.refund, BALANCE, refutation(HASH, reason, toAmount(30n)))).toBeUndefined();
    const next = submission(held.refund, OTHER);
    if (next instanceof Failure || next.kind !== "taken")
      throw new Error("another hash may follow");
    const after = refute(next.record, BALANCE, refutation(OTHER, "reverted"));
    expect(after).toMatchObject({ refund: { status: "created", held_reason: reason } });
    const proof = { txHash: OTHER, blockNumber: 7n, now: new Date(5) };
    expect(complete(next.record, BALANCE, proof)).toMatchObject({
      refund: { status: "completed", held_reason: null, tx_hash: OTHER },
    });
  }
});

test("a transaction that moved less than the amount does not hold the refund", () => {
  const verdict = refutation(HASH, "predates_payment", toAmount(29n));
  const refund = aRefund({ tx_hash: HASH });
  expect(refute(refund, BALANCE, verdict)).toMatchObject({ refund: { status: "failed" } });
});

test("what is no hash is refused", () => {
  for (const text of ["", "0x", "ab".repeat(32), `0x${"ab".repeat(31)}`, `0x${"zz".repeat(32)}`]) {
    expect(submission(aRefund(), text)).toMatchObject({ errorCode: "field_invalid" });
  }
});

test("a refund is overdue only while no transaction was submitted", () => {
  const later = new Date(1);
  expect(isOverdue(aRefund(), later)).toBe(true);
  expect(isOverdue(aRefund(), new Date(0))).toBe(false);
  expect(isOverdue(aRefund({ tx_hash: HASH }), later)).toBe(false);
  expect(isOverdue(aRefund({ status: "failed" }), later)).toBe(false);
});

test("a refund that the service sends takes no transaction and is never overdue", () => {
  const sent = aRefund({ service_signed: true });
  expect(submission(sent, HASH)).toMatchObject({ errorCode: "refund_service_signed" });
  expect(isOverdue(sent, new Date(1))).toBe(false);
  expect(isOverdue(aRefund(), new Date(1))).toBe(true);
});
