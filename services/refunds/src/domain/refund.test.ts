import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { type Amount, type TxHash, toAddress, toAmount, toTxHash } from "@pay/values";
import type { Balance } from "./balance.ts";
import {
  cancel,
  complete,
  fail,
  getNextStatus,
  isOverdue,
  type Refund,
  rejectHash,
  reorg,
  STATUSES,
  setDestination,
  submitTransaction,
  TRANSITIONS,
  type Trigger,
} from "./refund.ts";

const HASH = toTxHash(`0x${"ab".repeat(32)}`);

const OTHER = toTxHash(`0x${"cd".repeat(32)}`);
const OWNER = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB";

const BALANCE: Balance = {
  payment_id: "pay_000000000000000000000000",
  project_id: "proj_000000000000000000000000",
  mode: 1,
  amount: 100n,
  received: 100n,
  payment_version: 3,
  reserved: 70n,
  completed: 40n,
  surplus_reserved: 0n,
  surplus_completed: 0n,
  refunds: 2,
  declared_at: null,
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
    destination_source: "payer",
    requested_by: "key_1",
    payer_address: null,
    sender_address: "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359",
    customer_id: null,
    reason: null,
    failure_reason: null,
    held_reason: null,
    tx_hash: null,
    other_hashes: null,
    block_number: null,
    needs: null,
    surplus: false,
    declared: false,
    refunded_base_amount: 0n,
    surplus_refunded_base_amount: 0n,
    reserved_base_amount: 70n,
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

test("the table of moves has exactly these moves", () => {
  const triggers = Object.keys(TRANSITIONS) as Trigger[];
  function line(cells: string[]) {
    return cells
      .map((cell) => cell.padEnd(11))
      .join("")
      .trimEnd();
  }

  const rows = STATUSES.map((status) =>
    line([status, ...triggers.map((trigger) => getNextStatus(status, trigger) ?? "-")]),
  );
  expect([line(["", ...triggers]), ...rows].join("\n")).toBe(
    `
           submit     rejectHash complete   reorg      fail
created    created    created    completed  -          failed
completed  -          -          -          created    -
failed     -          -          -          -          -
`.slice(1, -1),
  );
});

test("a completed refund raises the completed sum and carries it", () => {
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

test("a failed refund releases its amount", () => {
  const settled = fail(aRefund(), BALANCE, "reverted");
  expect(settled).toMatchObject({
    event: "refund.failed",
    balance: { reserved: 40n, completed: 40n },
    refund: { status: "failed", failure_reason: "reverted", version: 2 },
  });
});

test("a reorganisation opens a completed refund again and keeps its amount reserved", () => {
  const submittedTxHash = OTHER;
  const proof = { txHash: HASH, blockNumber: 7n, now: new Date(5), sender: toAddress(OWNER) };
  const surplus = { ...BALANCE, surplus_reserved: 30n };
  const open = aRefund({ tx_hash: submittedTxHash, surplus: true });
  const done = complete(open, surplus, proof);
  if (done === undefined) throw new Error("a created refund completes");
  expect(done.balance).toMatchObject({ completed: 70n, surplus_completed: 30n });
  const lost = { txHash: HASH, submittedTxHash };
  expect(reorg(done.refund, done.balance, lost)).toEqual({
    event: "refund.reorged",
    balance: surplus,
    refund: { ...open, refunded_base_amount: 40n, version: 3 },
  });
  expect(reorg(done.refund, done.balance, { ...lost, txHash: submittedTxHash })).toBeUndefined();
  expect(reorg(open, surplus, lost)).toBeUndefined();
});

test("a refund is cancelled while no transaction may pay it", () => {
  const cancelled = cancel(aRefund(), BALANCE);
  expect(cancelled).toMatchObject({
    kind: "moved",
    moved: {
      event: "refund.failed",
      balance: { reserved: 40n, completed: 40n },
      refund: { status: "failed", failure_reason: "cancelled", version: 2 },
    },
  });
  const failed = { status: "failed", failure_reason: "cancelled" } as const;
  expect(cancel(aRefund(failed), BALANCE)).toEqual({ kind: "unchanged" });
  const held = rejectHash(
    aRefund({ tx_hash: HASH }),
    BALANCE,
    rejection(HASH, "transfer_already_used", toAmount(30n)),
  );
  expect(held?.refund.held_reason).toBe("transfer_already_used");
  expect(cancel(held?.refund ?? aRefund(), BALANCE)).toMatchObject({ kind: "moved" });
  expect(cancel(aRefund({ service_signed: true, needs: "destination" }), BALANCE)).toMatchObject({
    kind: "moved",
  });
});

test("a refund that a transaction may pay or has paid is not cancelled", () => {
  const waiting = [{ hash: OTHER, verdict: null }];
  const judged = [{ hash: HASH, verdict: "reverted" }];
  for (const [refund, errorCode] of [
    [{ status: "completed" }, "refund_status_invalid"],
    [{ status: "failed", failure_reason: "reverted" }, "refund_status_invalid"],
    [{ service_signed: true }, "state_contended"],
    [{ tx_hash: HASH }, "refund_transaction_pending"],
    [{ tx_hash: HASH, other_hashes: [...judged, ...waiting] }, "refund_transaction_pending"],
  ] as const) {
    const change = { other_hashes: null, ...refund };
    expect(
      cancel(
        aRefund({ ...change, other_hashes: change.other_hashes && [...change.other_hashes] }),
        BALANCE,
      ),
    ).toMatchObject({ errorCode });
  }
});

test("a refund that needs a destination takes one address, and no transaction before", () => {
  const none = { destination_address: "", destination_source: null };
  const waits = aRefund({ ...none, needs: "destination" });
  const rights = { entry: undefined, anyDestination: true, now: new Date(0) };
  expect(submitTransaction(waits, HASH)).toMatchObject({ errorCode: "refund_status_invalid" });
  const set = setDestination(waits, OWNER.toLowerCase(), rights);
  const destination = { destination_address: OWNER, destination_source: "named" };
  const refund = { ...waits, ...destination, needs: null };
  expect(set).toEqual({ kind: "set", refund });
  expect(setDestination(refund, OWNER, rights)).toEqual({ kind: "unchanged" });
  for (const [one, to, errorCode] of [
    [waits, waits.source_address, "refund_destination_invalid"],
    [waits, "0x12", "refund_destination_invalid"],
    [refund, `0x${"ab".repeat(20)}`, "refund_status_invalid"],
    [{ ...waits, status: "failed" as const }, OWNER, "refund_status_invalid"],
  ] as const) {
    expect(setDestination(one, to, rights)).toMatchObject({ errorCode });
  }
  expect(setDestination(waits, OWNER, { ...rights, anyDestination: false })).toMatchObject({
    errorCode: "refund_destination_forbidden",
  });
  const later = new Date(1);
  expect(isOverdue({ ...waits, service_signed: true }, later)).toBe(true);
});

test("a completed or failed refund never moves again", () => {
  const proof = { txHash: HASH, blockNumber: 7n, now: new Date(5) };
  for (const status of ["completed", "failed"] as const) {
    expect(complete(aRefund({ status }), BALANCE, proof)).toBeUndefined();
    expect(fail(aRefund({ status }), BALANCE, "timeout")).toBeUndefined();
  }
});

test("a hash is accepted in upper case and stored in lower case", () => {
  const upper = `0x${"AB".repeat(32)}`;
  expect(submitTransaction(aRefund(), upper)).toMatchObject({
    kind: "accepted",
    record: { tx_hash: HASH },
  });
  expect(submitTransaction(aRefund({ tx_hash: HASH }), upper)).toEqual({ kind: "unchanged" });
});

test("a submitted hash changes neither status nor version", () => {
  expect(submitTransaction(aRefund(), HASH)).toMatchObject({
    record: { status: "created", version: 1 },
  });
});

function rejection(hash: TxHash, reason: string, received?: Amount) {
  return {
    hash,
    reason,
    received,
  };
}

test("a refund accepts five hashes", () => {
  let refund = aRefund();
  for (let at = 1; at <= 5; at++) {
    const result = submitTransaction(refund, `0x${String(at).repeat(64)}`);
    if (result instanceof Failure || result.kind !== "accepted")
      throw new Error(`hash ${at} is accepted`);
    refund = result.record;
  }
  expect(submitTransaction(refund, `0x${"1".repeat(64)}`)).toEqual({ kind: "unchanged" });
  expect(submitTransaction(refund, HASH)).toMatchObject({
    errorCode: "refund_transactions_exhausted",
    message: "Refund already has 5 transactions",
  });
  expect(submitTransaction(aRefund({ status: "failed" }), HASH)).toMatchObject({
    errorCode: "refund_status_invalid",
    message: "Refund is failed; expected created",
  });
});

test("a rejection fails a refund only when no other hash waits for its verdict", () => {
  const both = aRefund({ tx_hash: OTHER, other_hashes: [{ hash: HASH, verdict: null }] });
  for (const [first, last] of [
    [OTHER, HASH],
    [HASH, OTHER],
  ] as const) {
    const once = rejectHash(both, BALANCE, rejection(first, "reverted"));
    expect(once).toMatchObject({
      event: "refund.refuted",
      balance: BALANCE,
      refund: { status: "created", tx_hash: last, version: 1 },
    });
    const twice = once && rejectHash(once.refund, once.balance, rejection(last, "wrong_token"));
    expect(twice).toMatchObject({
      event: "refund.failed",
      balance: { reserved: 40n },
      refund: { status: "failed", failure_reason: "wrong_token", version: 2 },
    });
  }
});

test("a refund whose money has moved is on hold: it neither fails nor releases its amount", () => {
  for (const reason of ["predates_payment", "transfer_already_used"]) {
    const held = rejectHash(
      aRefund({ tx_hash: HASH }),
      BALANCE,
      rejection(HASH, reason, toAmount(30n)),
    );
    expect(held).toMatchObject({
      event: "refund.refuted",
      balance: BALANCE,
      refund: { status: "created", held_reason: reason, tx_hash: HASH },
    });
    if (held === undefined) throw new Error("a rejection is stored");
    expect(
      rejectHash(held.refund, BALANCE, rejection(HASH, reason, toAmount(30n))),
    ).toBeUndefined();
    const next = submitTransaction(held.refund, OTHER);
    if (next instanceof Failure || next.kind !== "accepted")
      throw new Error("another hash may follow");
    const after = rejectHash(next.record, BALANCE, rejection(OTHER, "reverted"));
    expect(after).toMatchObject({ refund: { status: "created", held_reason: reason } });
    const proof = { txHash: OTHER, blockNumber: 7n, now: new Date(5) };
    expect(complete(next.record, BALANCE, proof)).toMatchObject({
      refund: { status: "completed", held_reason: null, tx_hash: OTHER },
    });
  }
});

test("a transaction that moved less than the amount does not put the refund on hold", () => {
  const verdict = rejection(HASH, "predates_payment", toAmount(29n));
  const refund = aRefund({ tx_hash: HASH });
  expect(rejectHash(refund, BALANCE, verdict)).toMatchObject({ refund: { status: "failed" } });
});

test("a malformed hash is rejected", () => {
  for (const text of ["", "0x", "ab".repeat(32), `0x${"ab".repeat(31)}`, `0x${"zz".repeat(32)}`]) {
    expect(submitTransaction(aRefund(), text)).toMatchObject({ errorCode: "field_invalid" });
  }
});

test("a refund without a transaction is overdue, one with a transaction is not", () => {
  const later = new Date(1);
  expect(isOverdue(aRefund(), later)).toBe(true);
  expect(isOverdue(aRefund(), new Date(0))).toBe(false);
  expect(isOverdue(aRefund({ tx_hash: HASH }), later)).toBe(false);
  expect(isOverdue(aRefund({ status: "failed" }), later)).toBe(false);
});

test("a refund signed by the service accepts no transaction and is never overdue", () => {
  const sent = aRefund({ service_signed: true });
  expect(submitTransaction(sent, HASH)).toMatchObject({ errorCode: "refund_service_signed" });
  expect(isOverdue(sent, new Date(1))).toBe(false);
  expect(isOverdue(aRefund(), new Date(1))).toBe(true);
});
