import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { present } from "../service-answers.ts";
import { renderChanged } from "./response.ts";

/** Why a payer is refused. */
export const PAYER_FAILURES = [
  "payer_fixed",
  "payment_expired",
  "payment_status_invalid",
  "state_contended",
] as const;

type Declaration = Call<unknown, { payerAddress: string }>;

interface Authority {
  /** Either the shopper proves by the secret that the payment is theirs, or the caller vouches for it. */
  proof: { clientSecret: string } | { trusted: true };
  permit?: (() => Promise<unknown>) | undefined;
  voucher?: string;
}

export function declarePayer(
  call: Declaration,
  deps: Pick<Deps, "pool">,
  { proof, permit, voucher = "" }: Authority,
): Promise<object> {
  const { body, params, services } = call;
  async function write() {
    const { payerAddress } = body;
    const unproven = { clientSecret: undefined, trusted: undefined };
    const declaration = { id: params.id, payerAddress, ...unproven, ...proof };
    return renderChanged(present((await services.payments.declarePayer(declaration)).payment));
  }

  return forwardOnce(deps, call, { write, permit, salt: voucher });
}

/** With an idempotency key the secret is judged before the key's row is written, too. */
export function declareWithSecret(
  call: Declaration,
  deps: Pick<Deps, "pool">,
  clientSecret: string,
): Promise<object> {
  const { params, services } = call;
  function read() {
    return services.payments.getPayment({ id: params.id, clientSecret });
  }

  const permit = call.header("idempotency-key") === undefined ? undefined : read;
  return declarePayer(call, deps, { proof: { clientSecret }, permit });
}
