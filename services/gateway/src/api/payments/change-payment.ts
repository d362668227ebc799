// What merchants and shoppers change of a payment besides its transactions. Each change is made once per
// Idempotency-Key, and its answer is the payment after it.
import type { Payment } from "@pay/proto";
import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { requireField } from "../response-fields.ts";
import { type ProofOfRight, repeatedBy, toProofFields } from "./proof-of-right.ts";
import { renderChanged } from "./response.ts";
import { buildPayerMessage } from "./status-response.ts";

type Part = Pick<Deps, "pool">;

/** Why a payer is refused. */
export const PAYER_FAILURES = [
  "payer_fixed",
  "payer_signature_invalid",
  "payment_expired",
  "payment_status_invalid",
  "state_contended",
] as const;

/** For the timeline. Shoppers share the key of their page, so it says nothing about them. */
export function getMaker({ caller }: Pick<Call, "caller">): string | undefined {
  return caller.type === "publishable" ? undefined : caller.actor;
}

interface Change {
  /** Undefined where the route's key alone decides. */
  authority?: ProofOfRight;
  send(): Promise<{ payment?: Payment | undefined }>;
}

function changeOnce(call: Call, deps: Part, { authority, send }: Change): Promise<object> {
  async function write() {
    return renderChanged(requireField((await send()).payment));
  }

  return forwardOnce(deps, call, { write, ...(authority && repeatedBy(authority)) });
}

export function cancelPayment(call: Call, deps: Part): Promise<object> {
  const { params, services } = call;
  const cancellation = { id: params.id, requestedBy: getMaker(call) };
  return changeOnce(call, deps, { send: () => services.payments.cancelPayment(cancellation) });
}

export function resolvePayment(
  call: Call<unknown, { action: "accept" | "reject" }>,
  deps: Part,
): Promise<object> {
  const { body, params, services } = call;
  const accept = body.action === "accept";
  const resolution = { id: params.id, accept, requestedBy: getMaker(call) };
  return changeOnce(call, deps, { send: () => services.payments.resolvePayment(resolution) });
}

export function declarePayer(
  call: Call<unknown, { payerAddress: string; signature?: string | undefined }>,
  deps: Part & MessageDeps,
  authority: ProofOfRight,
): Promise<object> {
  const { body, params, services } = call;
  const { payerAddress, signature } = body;
  const declaration = { id: params.id, payerAddress, signature, ...toProofFields(authority.proof) };
  return changeOnce(call, deps, {
    authority,
    send: async () => {
      const payerMessage = signature === undefined ? undefined : await readMessage(call, deps);
      return services.payments.declarePayer({ ...declaration, payerMessage });
    },
  });
}

type MessageDeps = Pick<Deps, "catalog" | "publicUrl">;

/** The text that the wallet may have signed instead of the id. */
async function readMessage(
  { params, services }: Call,
  { catalog, publicUrl }: MessageDeps,
): Promise<string | undefined> {
  const [payment, chains] = await Promise.all([
    services.payments.getPayment({ id: params.id }),
    catalog.chains(),
  ]);
  const chain = chains.find(({ chainId }) => chainId === payment.chainId);
  return buildPayerMessage({ payment, chain, publicUrl }) ?? undefined;
}

export function extendPayment(call: Call, deps: Part, authority: ProofOfRight): Promise<object> {
  const { params, services } = call;
  const proof = toProofFields(authority.proof);
  const extension = { id: params.id, requestedBy: getMaker(call), ...proof };
  return changeOnce(call, deps, {
    authority,
    send: () => services.payments.extendPayment(extension),
  });
}
