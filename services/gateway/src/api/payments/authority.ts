// Why a request may change a payment: who made it has proven it, or the gateway vouches for the caller.
import type { Call, ShopperCall } from "../../pipeline/route.ts";
import { findOwnPayment } from "../../sessions/ownership.ts";

export interface Authority {
  /** Either the shopper proves by the secret that the payment is theirs, or the caller vouches for it. */
  proof: { clientSecret: string } | { trusted: true; byMerchant?: true };
  permit?: (() => Promise<unknown>) | undefined;
  /** Who vouches, where the request itself does not show it. */
  voucher?: string;
}

/** What a message of a change says about it. */
export function spelledOut(proof: Authority["proof"]) {
  return { clientSecret: undefined, trusted: undefined, byMerchant: undefined, ...proof };
}

/** How a write with it is repeated. */
export function repeatedBy({ permit, voucher = "" }: Authority) {
  return { permit, salt: voucher };
}

/** The key or the header of the request has shown it already. */
export const ADMITTED: Authority = { proof: { trusted: true } };
export const BY_MERCHANT: Authority = { proof: { trusted: true, byMerchant: true } };

/**
 * The change judges the secret itself. With an idempotency key the secret is judged before the key's row is written,
 * too.
 */
export function bySecret(call: Call, clientSecret: string): Authority {
  const { params, services } = call;
  function read() {
    return services.payments.getPayment({ id: params.id, clientSecret });
  }

  const permit = call.header("idempotency-key") === undefined ? undefined : read;
  return { proof: { clientSecret }, permit };
}

/** A secret in the body counts also beside a session; without one the payment must be the shopper's own. */
export function bySession(
  call: ShopperCall<unknown, { clientSecret?: string | undefined }>,
): Authority {
  const { clientSecret } = call.body;
  if (clientSecret !== undefined) return bySecret(call, clientSecret);
  return {
    ...ADMITTED,
    permit: () => findOwnPayment(call, call.params.id),
    voucher: call.shopper.wallet ?? "",
  };
}
