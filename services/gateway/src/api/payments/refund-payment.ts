import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { requireField } from "../response-fields.ts";
import { renderRefunded } from "./response.ts";

/** The refund can be read at once; where its creation fails, the event of the declaration creates it. */
export async function refundPayment(call: Call, { log }: Pick<Deps, "log">): Promise<object> {
  const { caller, params, services, requestId } = call;
  const idempotency = call.idempotency();
  const declaration = { id: params.id, requestedBy: caller.actor, idempotency };
  const answer = await services.payments.refundPayment(declaration);
  call.noteReplay(answer);
  if (!answer.replayed) {
    await services.refunds
      .createDeclaredRefund({ paymentId: params.id })
      .catch((error: unknown) =>
        log.warn({ err: error, requestId }, "a declared refund comes later"),
      );
  }
  return renderRefunded(requireField(answer.payment));
}
