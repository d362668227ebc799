// Variant B: payments has published that a merchant declared a payment refunded. The rest of the payment becomes a
// refund. The balance remembers the declaration, so that later events of the payment create nothing.
import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { EventType } from "@pay/events";
import { Failure } from "@pay/failures";
import { CreateRefundRequestSchema, type Event } from "@pay/proto";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { newBalance, type Payment } from "../domain/balance.ts";
import { buildDeclaredRefund } from "../domain/new-refund.ts";
import { CREATED_EVENT } from "../domain/refund.ts";
import { refundColumns, toEvent, toPayment } from "../messages.ts";
import { refundsTotal } from "../metrics.ts";
import { insertRefund, markDeclared, openBalance } from "../storage/refunds.ts";

export const DECLARATION: EventType = "payment.refunded";

export async function createDeclaredRefunds(
  deps: Deps,
  events: Event[],
  tx: PoolClient,
): Promise<void> {
  const declarations = events.flatMap((event) =>
    event.type === DECLARATION &&
    event.resource.case === "payment" &&
    event.resource.value.refundDeclared
      ? [{ event, payment: toPayment(event.resource.value) }]
      : [],
  );
  for (const { event, payment } of declarations) {
    await createDeclaredRefund(deps, event, payment, tx);
  }
}

async function createDeclaredRefund(
  deps: Deps,
  event: Event,
  payment: Payment,
  tx: PoolClient,
): Promise<void> {
  const { clock, log } = deps;
  const balance = await openBalance(tx, newBalance(payment));
  if (balance.declared) return;
  await markDeclared(tx, balance);
  const at = event.occurredAt === undefined ? clock.now() : timestampDate(event.occurredAt);
  const { request_id: _, ...request } = refundColumns(
    create(CreateRefundRequestSchema, { paymentId: payment.id }),
  );
  const made = buildDeclaredRefund(payment, balance, { ...deps, eventId: event.id, at, request });
  if (made === undefined) return;
  if (made instanceof Failure) {
    // Payments rejects such a declaration; if it comes all the same, the payment stays open for a refund by hand.
    log.warn({ paymentId: payment.id, reason: made.message }, "a declared refund is not created");
    return;
  }
  await insertRefund(tx, made.refund, toEvent(CREATED_EVENT, made.refund, at, event.requestId));
  refundsTotal.inc({ status: made.refund.status });
}
