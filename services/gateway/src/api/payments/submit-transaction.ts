import type { z } from "zod";
import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import type { submission } from "./request.ts";
import { renderSubmitted } from "./response.ts";

/** Why a transaction hash is refused. */
export const SUBMISSION_FAILURES = [
  "payment_expired",
  "payment_confirmed",
  "payment_status_invalid",
  "payment_attempts_exhausted",
  "payer_fixed",
  "tx_hash_used",
  "state_contended",
] as const;

type Submission = Call<unknown, z.output<typeof submission>>;

interface Authority {
  /** Either the shopper proves by the secret that the payment is theirs, or the caller vouches for it. */
  proof: { clientSecret: string } | { trusted: true; byMerchant?: true };
  permit?: (() => Promise<unknown>) | undefined;
  /** Who vouches, where the request itself does not show it. */
  voucher?: string;
}

export function submitTransaction(
  call: Submission,
  deps: Pick<Deps, "pool">,
  { proof, permit, voucher = "" }: Authority,
): Promise<object> {
  const { body, params, services } = call;
  async function write() {
    const { txHash, payerAddress } = body;
    const wanted = { id: params.id, txHash, payerAddress, ...proof };
    return renderSubmitted(await services.payments.submitTransaction(wanted));
  }

  return forwardOnce(deps, call, { write, permit, salt: voucher });
}

/**
 * The submission judges the secret itself. With an idempotency key the secret is judged before the key's row is
 * written, too.
 */
export function submitWithSecret(
  call: Submission,
  deps: Pick<Deps, "pool">,
  clientSecret: string,
): Promise<object> {
  const { params, services } = call;
  function read() {
    return services.payments.getPayment({ id: params.id, clientSecret });
  }

  const permit = call.header("idempotency-key") === undefined ? undefined : read;
  return submitTransaction(call, deps, { proof: { clientSecret }, permit });
}
