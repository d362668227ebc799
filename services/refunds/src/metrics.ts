import { Counter, Gauge } from "prom-client";

export const refundsTotal = new Counter({
  name: "refunds_total",
  help: "Refunds by the status they came into",
  labelNames: ["status"],
});

/** Each of these is money that left a merchant's wallet and is in no record: it must stay 0. */
const proofsUnapplied = new Counter({
  name: "refund_proofs_unapplied_total",
  help: "Proven transfers that changed nothing of their refund",
  labelNames: ["type", "status"],
});

const refundsOverpaid = new Counter({
  name: "refunds_overpaid_total",
  help: "Transactions that gave back more than their refund, or gave it back again",
});

export const refundsHeld = new Gauge({
  name: "refunds_held",
  help: "Refunds that wait although a transaction has moved their money: it predates the payment or counts elsewhere",
});

export const settlementsTotal = new Counter({
  name: "settlements_total",
  help: "Settlements by the status they came into",
  labelNames: ["status"],
});

/** Each of these is money that left a merchant's wallet and is in no record: it must stay 0. */
const settlementProofsUnapplied = new Counter({
  name: "settlement_proofs_unapplied_total",
  help: "Proven transfers that changed nothing of their settlement",
  labelNames: ["type", "status"],
});

const settlementsOverpaid = new Counter({
  name: "settlements_overpaid_total",
  help: "Transactions that moved more than the amount of their settlement, or moved it again",
});

export const settlementsHeld = new Gauge({
  name: "settlements_held",
  help: "Settlements that wait although a transaction has moved their money: it predates the approval or counts elsewhere",
});

export const walletsUncovered = new Gauge({
  name: "wallets_uncovered",
  help: "Wallets of which refunds and settlements hold more than payments brought",
});

export const sumsBroken = new Gauge({
  name: "refund_sums_broken",
  help: "Kept sums that differ from their rows, in the last pass: of payments, and of projects with their wallets",
  labelNames: ["of"],
});

/** What is counted of money going out, by the kind of record. */
export const METERS = {
  refund: { unapplied: proofsUnapplied, overpaid: refundsOverpaid },
  settlement: { unapplied: settlementProofsUnapplied, overpaid: settlementsOverpaid },
} as const;
