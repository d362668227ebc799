// The right to change a payment: the caller proves it with the client secret, or the gateway vouches for the caller.
import type { Call, ShopperCall } from "../../pipeline/route.ts";
import { findOwnPayment } from "../../sessions/ownership.ts";

export interface ProofOfRight {
  /** Either the client secret, or the gateway has checked the right of the caller. */
  proof: { clientSecret: string } | { trusted: true; byMerchant?: true };
  permit?: (() => Promise<unknown>) | undefined;
  /** Identifies the caller, where the request itself does not. */
  voucher?: string;
}

/** The fields of a message to the payments service. */
export function toProofFields(proof: ProofOfRight["proof"]) {
  return { clientSecret: undefined, trusted: undefined, byMerchant: undefined, ...proof };
}

/** The options of a repeatable write with it. */
export function repeatedBy({ permit, voucher = "" }: ProofOfRight) {
  return { permit, salt: voucher };
}

/** The key or the header of the request has been checked already. */
export const ADMITTED: ProofOfRight = { proof: { trusted: true } };
export const BY_MERCHANT: ProofOfRight = { proof: { trusted: true, byMerchant: true } };

/**
 * The change judges the secret itself. With an idempotency key the secret is judged before the key's row is written,
 * too.
 */
export function bySecret(call: Call, clientSecret: string): ProofOfRight {
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
): ProofOfRight {
  const { clientSecret } = call.body;
  if (clientSecret !== undefined) return bySecret(call, clientSecret);
  return {
    ...ADMITTED,
    permit: () => findOwnPayment(call, call.params.id),
    voucher: call.shopper.wallet ?? "",
  };
}
