import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { present } from "../service-answers.ts";
import { type Authority, repeatedBy, spelledOut } from "./authority.ts";
import { renderChanged } from "./response.ts";

/** Why a payer is refused. */
export const PAYER_FAILURES = [
  "payer_fixed",
  "payer_signature_invalid",
  "payment_expired",
  "payment_status_invalid",
  "state_contended",
] as const;

type Declaration = Call<unknown, { payerAddress: string; signature?: string | undefined }>;

export function declarePayer(
  call: Declaration,
  deps: Pick<Deps, "pool">,
  authority: Authority,
): Promise<object> {
  const { body, params, services } = call;
  async function write() {
    const { payerAddress, signature } = body;
    const declaration = { id: params.id, payerAddress, signature, ...spelledOut(authority.proof) };
    return renderChanged(present((await services.payments.declarePayer(declaration)).payment));
  }

  return forwardOnce(deps, call, { write, ...repeatedBy(authority) });
}
