import { Counter, Gauge } from "prom-client";

/** Money that a merchant does not see: it must stay 0. */
export const proofsUnapplied = new Counter({
  name: "payment_proofs_unapplied_total",
  help: "Proven transfers and completed refunds that changed nothing of their payment",
  labelNames: ["type", "status"],
});

export const proofsBroken = new Gauge({
  name: "payment_proofs_broken",
  help: "Payments that differ for ten minutes from the transfers that prove them: not confirmed, or another sum received",
  labelNames: ["of"],
});
