// When two requests are the same, and which of two concurrent ones may run.
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/values";
import { Counter } from "prom-client";

export const outcomes = new Counter({
  name: "idempotency_total",
  help: "Requests with an idempotency key, by what became of them",
  labelNames: ["outcome"],
});

export interface IdempotentRequest {
  /** Project, mode and route in which the key counts, see idempotencyScope. */
  scope: string;
  key: string;
  /** Differs between request bodies. */
  fingerprint: Uint8Array;
}

/** One key may be used once per project, mode and route. */
export function idempotencyScope({ projectId, mode }: Tenant, route: string): string {
  return `${projectId}:${mode}:${route}`;
}

/** The key that a message carries; undefined when the merchant sent none. */
export function idempotentRequest(
  tenant: Tenant,
  idempotency: { route: string; key: string; fingerprint: Uint8Array } | undefined,
): IdempotentRequest | undefined {
  if (!idempotency?.key) return undefined;
  const { route, key, fingerprint } = idempotency;
  return { scope: idempotencyScope(tenant, route), key, fingerprint };
}

/** Refuses a key that comes back with another body. */
export function sameRequest(stored: Uint8Array, fingerprint: Uint8Array): void {
  if (Buffer.compare(stored, fingerprint) === 0) return;
  outcomes.inc({ outcome: "other_body" });
  throw new Failure(
    "idempotency_key_reused",
    "Idempotency-Key was already used with another request body",
  );
}

/** The refusal of a request while an earlier one under its key has not ended. */
export function stillRunning(): Failure {
  outcomes.inc({ outcome: "running" });
  return new Failure(
    "idempotency_in_progress",
    "A request with this Idempotency-Key is still running",
  );
}
