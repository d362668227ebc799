import { Failure } from "@pay/failures";
import { Counter } from "prom-client";

const refusals = new Counter({
  name: "auth_failures_total",
  help: "Requests refused for their key, by reason",
  labelNames: ["reason"],
});

const MESSAGE = "API key is invalid or missing";

/** Only who has the key learns that it has expired. */
export function rejectExpiredKey(): Failure {
  return rejectKey("expired", new Failure("api_key_expired", MESSAGE));
}

/** The metric has the reason. The caller gets the same message for every reason, so that it learns nothing of keys. */
export function rejectKey(
  reason: string,
  refusal = new Failure("api_key_invalid", MESSAGE),
): Failure {
  refusals.inc({ reason });
  return refusal;
}
