// Checks client secrets. Where the key of a payment is not configured, a right secret cannot be told from a guessed
// one, so both are rejected; the log and a counter have the version of the key.
import { Failure } from "@pay/failures";
import { Counter } from "prom-client";
import type { Deps } from "../deps.ts";
import { deriveClientSecret, hasOutlived, isClientSecret } from "../domain/client-secret.ts";
import type { Payment } from "../domain/payment.ts";

const missing = new Counter({
  name: "client_secret_keys_missing_total",
  help: "Client secrets that were neither made nor checked, by the version of the key that is not configured",
  labelNames: ["version"],
});

type Part = Pick<Deps, "secretKeys" | "log" | "clock">;

export function checkSecret(deps: Part, text: string, payment: Payment): Failure | undefined {
  const isRight = isClientSecret(text, payment, deps.secretKeys);
  if (isRight && !hasOutlived(payment, deps.clock.now())) return undefined;
  if (!deps.secretKeys.keys.has(payment.secret_version)) noteMissing(deps, payment);
  return refuse();
}

/** For another credential, which opens the payment no longer than the client secret. */
export function checkLifetime({ clock }: Pick<Deps, "clock">, payment: Payment) {
  return hasOutlived(payment, clock.now()) ? refuse() : undefined;
}

function refuse(): Failure {
  return new Failure("client_secret_invalid", "clientSecret is not valid for this payment");
}

export function showSecret(deps: Part, payment: Payment): string {
  const secret = deriveClientSecret(payment, deps.secretKeys);
  if (secret !== undefined) return secret;
  noteMissing(deps, payment);
  throw new Failure("client_secret_unavailable", "The client secret cannot be shown now");
}

/** The secret where it still opens the payment. */
export function showLivingSecret(deps: Part, payment: Payment): string {
  return hasOutlived(payment, deps.clock.now()) ? "" : showSecret(deps, payment);
}

// Each version is logged once, because any caller can cause the line.
const logged = new Set<number>();

function noteMissing({ log }: Part, { secret_version: version }: Payment): void {
  missing.inc({ version });
  if (logged.has(version)) return;
  logged.add(version);
  log.error({ version }, "payments have client secrets of a key that is not configured");
}
