// A payment goes on in another browser of the shopper, e.g. the one inside a wallet.
import { forwardSecretOnce } from "../../idempotency/forwarded-call.ts";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { isoTime } from "../field-values.ts";
import { handoffUrl } from "./checkout-url.ts";
import { type ProofOfRight, repeatedBy, toProofFields } from "./proof-of-right.ts";

type Part = Pick<Deps, "pool" | "sealedResponses" | "publicUrl">;

export function handOffPayment(call: Call, deps: Part, authority: ProofOfRight): Promise<object> {
  const { params, services } = call;
  async function write() {
    const asked = { id: params.id, ...toProofFields(authority.proof) };
    const { code, expiresAt } = await services.payments.createHandoff(asked);
    return { url: handoffUrl(deps, params.id, code), expiresAt: isoTime(expiresAt) };
  }

  return forwardSecretOnce(deps, call, { write, ...repeatedBy(authority) });
}

/** Repeated under its key it gives the secret again, so that a lost answer does not lose the shopper. */
export function openPayment(call: Call<unknown, { code: string }>, deps: Part): Promise<object> {
  const { params, services, body } = call;
  async function write() {
    const { clientSecret } = await services.payments.redeemHandoff({
      id: params.id,
      code: body.code,
    });
    return { id: params.id, clientSecret };
  }

  return forwardSecretOnce(deps, call, { write, keepsRefusals: false });
}
