import { Counter } from "prom-client";

export const outcomes = new Counter({
  name: "idempotency_total",
  help: "Requests with an idempotency key, by what became of them",
  labelNames: ["outcome"],
});
