import { Counter, Gauge } from "prom-client";

export const refundsTotal = new Counter({
  name: "refunds_total",
  help: "Refunds that reached a status",
  labelNames: ["status"],
});

/** Money that left a merchant's wallet and is in no record: it must stay 0. */
const proofsUnapplied = new Counter({
  name: "refund_proofs_unapplied_total",
  help: "Proven transfers that changed nothing of their refund",
  labelNames: ["type", "status"],
});

const refundsOverpaid = new Counter({
  name: "refunds_overpaid_total",
  help: "Transactions that paid more than their refund, or paid it again",
});

export const refundsHeld = new Gauge({
  name: "refunds_held",
  help: "Refunds on hold: a transaction moved their money but predates the payment or counts elsewhere",
});

export const settlementsTotal = new Counter({
  name: "settlements_total",
  help: "Settlements that reached a status",
  labelNames: ["status"],
});

/** Money that left a merchant's wallet and is in no record: it must stay 0. */
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
  help: "Settlements on hold: a transaction moved their money but predates the approval or counts elsewhere",
});

export const walletsUncovered = new Gauge({
  name: "wallets_uncovered",
  help: "Wallets that owe more than they received",
});

/** Only a reorganisation of payments that are refunded already makes it more than 0. */
export const paymentsUncovered = new Gauge({
  name: "refunds_uncovered",
  help: "Payments whose refunds are more than what is proven of them",
});

export const sumsBroken = new Gauge({
  name: "refund_sums_broken",
  help: "Sums that differ from their rows, in the last pass: of payments, and of projects with their wallets",
  labelNames: ["of"],
});

/** The counters of each type of record. */
export const METERS = {
  refund: { unapplied: proofsUnapplied, overpaid: refundsOverpaid },
  settlement: { unapplied: settlementProofsUnapplied, overpaid: settlementsOverpaid },
} as const;
