import type { z } from "zod";
import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { getMaker } from "./change-payment.ts";
import { type ProofOfRight, repeatedBy, toProofFields } from "./proof-of-right.ts";
import type { merchantSubmission } from "./request.ts";
import { renderSubmitted } from "./response.ts";

/** Why a transaction hash is refused. */
export const SUBMISSION_FAILURES = [
  "payment_expired",
  "payment_confirmed",
  "payment_status_invalid",
  "payment_attempts_exhausted",
  "tx_hash_used",
  "state_contended",
] as const;

type Submission = Call<unknown, z.output<typeof merchantSubmission>>;

export function submitTransaction(
  call: Submission,
  deps: Pick<Deps, "pool">,
  authority: ProofOfRight,
): Promise<object> {
  const { body, params, services } = call;
  async function write() {
    const { txHash, payerAddress, attribute: assign } = body;
    const proof = toProofFields(authority.proof);
    const requestedBy = getMaker(call);
    const wanted = { id: params.id, txHash, payerAddress, assign, requestedBy, ...proof };
    return renderSubmitted(await services.payments.submitTransaction(wanted));
  }

  return forwardOnce(deps, call, { write, ...repeatedBy(authority) });
}
