// Reads payments for callers without a key, whose client secret is their only credential, or another one that the
// gateway has checked.
import { Failure } from "@pay/failures";
import type { OpenPayment } from "@pay/proto";
import type { Deps } from "../deps.ts";
import { isClientSecret } from "../domain/client-secret.ts";
import { findPaymentsByIds } from "../generated/sql.ts";
import { toMessage } from "../messages.ts";
import { type Answer, tryItem } from "./batch.ts";
import { checkLifetime, checkSecret } from "./check-secret.ts";

const LIVE_MODE = 1;

export async function authorizePayments(deps: Deps, requests: OpenPayment[]): Promise<Answer[]> {
  const ids = [...new Set(requests.map(({ id }) => id))];
  const found = new Map(
    (await findPaymentsByIds(deps.db.pool, { ids })).map((row) => [row.id, row]),
  );
  return requests.map(({ id, clientSecret, trusted }) => {
    const payment = found.get(id);
    if (payment === undefined) return refuseUnknown(deps, id, clientSecret);
    const refusal = trusted
      ? checkLifetime(deps, payment)
      : checkSecret(deps, clientSecret, payment);
    return refusal ?? tryItem(() => ({ payment: toMessage(payment) }));
  });
}

/** The same error as for a wrong secret, after the same work, so that neither text nor time reveals the difference. */
function refuseUnknown({ secretKeys }: Deps, id: string, clientSecret: string): Failure {
  const absent = { id, mode: LIVE_MODE, secret_version: secretKeys.current };
  isClientSecret(clientSecret, absent, secretKeys);
  return new Failure("client_secret_invalid", "clientSecret is not valid for this payment");
}
