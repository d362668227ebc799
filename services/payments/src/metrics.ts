import { Counter } from "prom-client";

/** Each of these is money that a merchant does not see: it must stay 0. */
export const proofsUnapplied = new Counter({
  name: "payment_proofs_unapplied_total",
  help: "Proven transfers and completed refunds that changed nothing of their payment",
  labelNames: ["type", "status"],
});
