import { Counter } from "prom-client";

export const refundsTotal = new Counter({
  name: "refunds_total",
  help: "Refunds by the status they came into",
  labelNames: ["status"],
});
