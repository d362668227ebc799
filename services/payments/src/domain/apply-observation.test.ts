import { describe, expect, test } from "@jest/globals";
import type { ObservedTransfer } from "@pay/events";
import {
  type Amount,
  type TxHash,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
  toTxHash,
} from "@pay/values";
import { applyObservation } from "./apply-observation.ts";
import { ATTEMPTS_MAX } from "./change.ts";
import type { Payment } from "./payment.ts";
import { samplePayment } from "./sample-payment.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const [A, B] = ["a", "b"].map((digit) => toTxHash(`0x${digit.repeat(64)}`)) as [TxHash, TxHash];
const RECIPIENT = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

function aPayment(change: Partial<Payment> = {}): Payment {
  const payment = samplePayment(NOW, { amount: "5" }, 0);
  return { ...payment, status: "processing", tx_hash: A, attempts: 1, version: 2, ...change };
}

function aSight(change: Partial<ObservedTransfer> = {}): ObservedTransfer {
  return {
    type: "transfer.confirmed",
    projectId: "proj_1",
    mode: 1,
    chainId: toChainId(1),
    recipient: toAddress(RECIPIENT),
    currency: "native" as const,
    txHash: A,
    submittedTxHash: A,
    found: false,
    blockNumber: 7n,
    received: toAmount(5n),
    sender: toAddress("0xsender"),
    reason: "",
    needs: undefined,
    needsTurn: 0,
    ...change,
  };
}

function refutation(hash: TxHash, reason: string, received?: Amount): ObservedTransfer {
  return aSight({
    type: "transfer.rejected",
    txHash: hash,
    submittedTxHash: hash,
    reason,
    received,
  });
}

function find(payment: Payment, seen: ObservedTransfer) {
  return applyObservation(payment, seen, NOW);
}

function other(hash: string, verdict: string | null = null) {
  return { hash, by_merchant: true, verdict };
}

describe("an observation that differs in one field is not believed", () => {
  test.each<[string, Partial<ObservedTransfer>]>([
    ["project", { projectId: "proj_2" }],
    ["mode", { mode: 2 }],
    ["chain", { chainId: toChainId(2) }],
    ["recipient", { recipient: toAddress("0xother") }],
    ["currency", { currency: toCurrency("0xtoken") }],
    ["hash", { submittedTxHash: B }],
    ["hash", { submittedTxHash: undefined }],
    ["amount", { received: toAmount(4n) }],
    ["amount", { received: undefined }],
  ])("%s", (field, change) => {
    expect(find(aPayment(), aSight(change))).toEqual({ kind: "mismatch", field });
  });
});

test("a proof sets the payer and ends the declaration of another one", () => {
  const declared = { payer_address: "0xother", payer_declared_at: NOW };
  expect(find(aPayment(declared), aSight())).toMatchObject({
    payment: { payer_address: "0xsender", sender_address: "0xsender", payer_declared_at: null },
  });
  const same = { payer_address: "0xsender", payer_declared_at: NOW };
  expect(find(aPayment(same), aSight())).toMatchObject({ payment: same });
});

test("a proof by a replacing transaction keeps the submitted hash", () => {
  expect(find(aPayment(), aSight({ txHash: B }))).toMatchObject({
    payment: { tx_hash: B, other_hashes: [{ hash: A }] },
  });
});

test("a rejected hash gives way to the latest one without a verdict", () => {
  const payment = aPayment({ tx_hash: B, other_hashes: [other(A)], attempts: 2 });
  expect(find(payment, refutation(B, "reverted"))).toMatchObject({
    kind: "moved",
    trigger: "switchHash",
    payment: {
      status: "processing",
      tx_hash: A,
      merchant_submitted: true,
      failure_code: null,
      other_hashes: [{ hash: B, by_merchant: false, verdict: "reverted" }],
    },
  });
});

test("a rejected hash beside the current one gets its verdict, and the last rejection fails the payment", () => {
  const payment = aPayment({ tx_hash: B, other_hashes: [other(A)] });
  const marked = find(payment, refutation(A, "reverted"));
  expect(marked).toMatchObject({ trigger: "rejectHash", payment: { status: "processing" } });
  if (marked.kind !== "moved") throw new Error("a refutation is noted");
  expect(find(marked.payment, refutation(A, "reverted"))).toEqual({ kind: "unchanged" });
  expect(find(marked.payment, refutation(B, "underpaid", toAmount(3n)))).toMatchObject({
    trigger: "fail",
    payment: { status: "failed", failure_code: "underpaid", received_base_amount: toAmount(3n) },
  });
});

test("late money gives the reason late, whatever the last hash", () => {
  const payment = aPayment({ other_hashes: [other(B, "late")] });
  expect(find(payment, refutation(A, "reverted"))).toMatchObject({
    payment: {
      status: "expired",
      failure_code: "late",
      tx_hash: B,
      other_hashes: [{ hash: A, verdict: "reverted" }],
    },
  });
  const expired = aPayment({ status: "expired" });
  expect(find(expired, refutation(A, "late"))).toEqual({ kind: "late", txHash: A });
});

test("a repeated proof changes nothing, and one that the payment cannot take is unapplied", () => {
  const confirmed = aPayment({ status: "confirmed", confirmed_at: NOW, other_hashes: [other(B)] });
  expect(find(confirmed, aSight())).toEqual({ kind: "unchanged" });
  const second = aSight({ txHash: B, submittedTxHash: B });
  expect(find(confirmed, second)).toEqual({ kind: "unapplied" });
});

test("a surplus is added once, to what was received", () => {
  const more = aSight({
    type: "transfer.surplus",
    txHash: B,
    submittedTxHash: B,
    received: toAmount(2n),
  });
  for (const status of ["confirmed", "refunded"] as const) {
    const paid = {
      status,
      confirmed_at: NOW,
      received_base_amount: toAmount(5n),
      other_hashes: [other(B)],
    };
    const added = find(aPayment(paid), more);
    expect(added).toMatchObject({
      payment: { status, received_base_amount: toAmount(7n), tx_hash: A },
    });
    if (added.kind !== "moved") throw new Error("a surplus is added");
    expect(find(added.payment, more)).toEqual({ kind: "unchanged" });
  }
  const failed = aPayment({ status: "failed", other_hashes: [other(B)] });
  expect(find(failed, more)).toEqual({ kind: "unapplied" });
});

describe("a transfer that chains found without a hash", () => {
  const found = { found: true, submittedTxHash: undefined, txHash: B };
  const unpaid = { status: "created", tx_hash: null, attempts: 0, version: 1 } as const;

  test("moves an unpaid payment to processing with its hash", () => {
    expect(find(aPayment(unpaid), aSight({ ...found, type: "transfer.seen" }))).toMatchObject({
      kind: "moved",
      payment: { status: "processing", tx_hash: B, attempts: 1, merchant_submitted: false },
    });
  });

  test("moves a payment to processing that has failed with all its attempts used", () => {
    const failed = { ...unpaid, status: "failed", tx_hash: A, attempts: ATTEMPTS_MAX } as const;
    expect(find(aPayment(failed), aSight({ ...found, type: "transfer.seen" }))).toMatchObject({
      kind: "moved",
      payment: { status: "processing", tx_hash: B, attempts: ATTEMPTS_MAX },
    });
  });

  test("comes before another hash, which is still being verified", () => {
    const seen = find(aPayment(), aSight({ ...found, type: "transfer.seen" }));
    expect(seen).toMatchObject({
      payment: { tx_hash: B, other_hashes: [{ hash: A, verdict: null }], attempts: 2 },
    });
  });

  test("confirms an unpaid payment", () => {
    expect(find(aPayment(unpaid), aSight(found))).toMatchObject({
      kind: "moved",
      payment: {
        status: "confirmed",
        tx_hash: B,
        block_number: 7n,
        received_base_amount: toAmount(5n),
      },
    });
  });

  test("is added once to what a confirmed payment received", () => {
    const confirmed = aPayment({ status: "confirmed", received_base_amount: toAmount(5n) });
    const surplus = aSight({ ...found, type: "transfer.surplus", received: toAmount(2n) });
    const moved = find(confirmed, surplus);
    expect(moved).toMatchObject({
      payment: {
        received_base_amount: toAmount(7n),
        other_hashes: [{ hash: B, verdict: "surplus" }],
      },
    });
    const after = "payment" in moved ? moved.payment : confirmed;
    expect(find(after, { ...surplus, submittedTxHash: B }).kind).toBe("unchanged");
  });

  test("and came too late is late, and fails nothing", () => {
    const late = aSight({
      ...found,
      type: "transfer.rejected",
      reason: "late",
      submittedTxHash: B,
    });
    expect(find(aPayment({ ...unpaid, status: "expired" }), late)).toEqual({
      kind: "late",
      txHash: B,
    });
    expect(find(aPayment(), late).kind).toBe("unchanged");
  });
});

describe("a proof that leaves the chain", () => {
  const SENDER = `0x${"5".repeat(40)}`;
  const gone = aSight({ type: "transfer.unseen", received: undefined, reason: "reorged" });
  const proof: Partial<Payment> = {
    status: "confirmed",
    confirmed_at: NOW,
    block_number: 7n,
    received_base_amount: toAmount(7n),
    sender_address: SENDER,
    payer_address: SENDER,
  };

  test("of a surplus leaves the payment confirmed with the rest, once", () => {
    const more = aSight({
      type: "transfer.unseen",
      txHash: B,
      submittedTxHash: B,
      received: toAmount(2n),
    });
    const paidTwice = aPayment({ ...proof, other_hashes: [other(B, "surplus")] });
    const found = find(paidTwice, more);
    expect(found).toMatchObject({
      kind: "moved",
      trigger: "dropSurplus",
      payment: { status: "confirmed", received_base_amount: 5n, other_hashes: [other(B)] },
    });
    if (found.kind === "moved") expect(find(found.payment, more).kind).toBe("unchanged");
    expect(find(paidTwice, { ...more, received: toAmount(3n) }).kind).toBe("unapplied");
  });

  test("makes the payment processing again, and only the hash of the proof is left", () => {
    const others = [other(B, "surplus")];
    expect(find(aPayment({ ...proof, other_hashes: others }), gone)).toMatchObject({
      kind: "moved",
      trigger: "revoke",
      payment: {
        status: "processing",
        tx_hash: A,
        block_number: null,
        confirmed_at: null,
        received_base_amount: null,
        sender_address: null,
        payer_address: null,
        reorged_at: NOW,
        other_hashes: [other(B)],
      },
    });
  });

  test("leaves a declared payer and restores the submitted hash", () => {
    const declared = { ...proof, payer_declared_at: NOW, other_hashes: [other(B)] };
    expect(find(aPayment(declared), { ...gone, submittedTxHash: B })).toMatchObject({
      payment: { tx_hash: B, other_hashes: null, payer_address: SENDER },
    });
  });

  test("changes nothing of a payment that another hash proves, and is reported of a refunded one", () => {
    expect(find(aPayment({ ...proof, tx_hash: B, other_hashes: [other(A)] }), gone)).toEqual({
      kind: "unchanged",
    });
    expect(find(aPayment({ ...proof, status: "refunded" }), gone)).toEqual({ kind: "unapplied" });
  });
});

describe("what a hash needs besides the chain", () => {
  function say(hash: TxHash, needsTurn: number, needs?: ObservedTransfer["needs"]) {
    return aSight({
      type: "transfer.waiting",
      txHash: hash,
      submittedTxHash: hash,
      needs,
      needsTurn,
    });
  }

  function after(payment: Payment, ...all: ObservedTransfer[]): Payment {
    let now = payment;
    for (const seen of all) {
      const found = find(now, seen);
      if (found.kind === "moved") now = found.payment;
    }
    return now;
  }

  const asked = say(A, 1, "payer_signature");

  test("is kept with the wallet that has to sign, and an old or repeated event changes nothing", () => {
    const held = after(aPayment(), asked);
    expect(held).toMatchObject({ needs: "payer_signature", seen_sender: "0xsender", version: 3 });
    expect(after(held, asked)).toBe(held);
    const over = after(held, say(A, 2));
    expect(over).toMatchObject({ status: "processing", needs: null, version: 4 });
    expect(after(over, asked)).toBe(over);
    expect(after(over, say(A, 3, "review"))).toMatchObject({ needs: "review" });
  });

  test("changes nothing of a payment that is not processing, nor for an unknown hash", () => {
    const failed = aPayment({ status: "failed", failure_code: "reverted" });
    expect(find(failed, asked)).toEqual({ kind: "unchanged" });
    expect(find(aPayment({ other_hashes: [other(B, "reverted")] }), say(B, 1, "review"))).toEqual({
      kind: "unchanged",
    });
  });

  test("ends with the verdict on that hash, and with every end of the payment", () => {
    const held = after(aPayment({ other_hashes: [other(B)] }), asked);
    expect(after(held, refutation(B, "reverted")).needs).toBe("payer_signature");
    expect(after(held, refutation(A, "ambiguous"))).toMatchObject({ tx_hash: B, needs: null });
    expect(after(held, aSight())).toMatchObject({ status: "confirmed", needs: null });
    const alone = after(aPayment(), asked);
    expect(after(alone, refutation(A, "ambiguous"))).toMatchObject({
      status: "failed",
      failure_code: "ambiguous",
      needs: null,
    });
  });

  test("of two hashes is what one of them needs", () => {
    const both = after(aPayment({ other_hashes: [other(B)] }), asked, say(B, 1));
    expect(both.needs).toBe("payer_signature");
  });
});
