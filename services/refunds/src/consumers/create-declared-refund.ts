// Variant B: payments has published that a merchant declared a payment refunded. The rest of the payment becomes a
// refund.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { EventType } from "@pay/events";
import { Failure } from "@pay/failures";
import type { Event, PaymentSnapshot } from "@pay/proto";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { toPayment } from "../messages.ts";
import { type Declaration, writeDeclaredRefund } from "../operations/create-declared-refund.ts";
import { findPayment, type RefundablePayment } from "../operations/find-payment.ts";

const DECLARATION: EventType = "payment.refunded";

/** Reads the declared payments from payments, before any row is locked. */
export async function readDeclarations(deps: Deps, events: Event[]): Promise<Declaration[]> {
  const declarations: Declaration[] = [];
  for (const event of events) {
    if (event.type !== DECLARATION || event.resource.case !== "payment") continue;
    const { value: snapshot } = event.resource;
    if (!snapshot.refundDeclared || snapshot.refundedAt === undefined) continue;
    const declaredAt = timestampDate(snapshot.refundedAt);
    const { requestId } = event;
    const found = await readPayment(deps, event, snapshot);
    declarations.push({ requestId, declaredAt, ...found });
  }
  return declarations;
}

/** Only payments knows who sent how much; without its answer the refund waits for a destination. */
async function readPayment(
  deps: Deps,
  { projectId, mode, requestId }: Event,
  snapshot: PaymentSnapshot,
): Promise<RefundablePayment> {
  const { id } = snapshot;
  const request = { tenant: { projectId, mode }, id };
  try {
    const found = await findPayment(deps, request, { requestId, projectId });
    if (found instanceof Failure) throw found;
    return found;
  } catch (error) {
    deps.log.warn({ err: error, paymentId: id }, "the senders of a declared refund are unknown");
    return { payment: toPayment(snapshot), check: undefined };
  }
}

export async function createDeclaredRefunds(
  deps: Deps,
  declarations: Declaration[],
  tx: PoolClient,
): Promise<void> {
  for (const declaration of declarations) await writeDeclaredRefund(deps, declaration, tx);
}
