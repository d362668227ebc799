// Variant B: a merchant declares a whole payment refunded, and payments has published it already. What is left of the
// payment becomes a refund that waits for its transaction. The balance remembers the declaration, so that it is
// followed once, whatever later events of the payment say. Payments refuses to declare what has no known
// payer or was paid from a shared address; where such a declaration comes all the same, the payment stays open for a
// refund that names its destination.
import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { EventType } from "@pay/events";
import { Failure } from "@pay/failures";
import { CreateRefundRequestSchema, type Event } from "@pay/proto";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { newBalance, type Payment } from "../domain/balance.ts";
import { declaredRefund } from "../domain/new-refund.ts";
import { CREATED_EVENT } from "../domain/refund.ts";
import { refundColumns, toEvent, toPayment } from "../messages.ts";
import { refundsTotal } from "../metrics.ts";
import { insertRefund, markDeclared, openBalance } from "../storage/refunds.ts";

export const DECLARATION: EventType = "payment.refunded";

export async function openDeclared(deps: Deps, events: Event[], tx: PoolClient): Promise<void> {
  const declarations = events.flatMap((event) =>
    event.type === DECLARATION &&
    event.resource.case === "payment" &&
    event.resource.value.refundDeclared
      ? [{ event, payment: toPayment(event.resource.value) }]
      : [],
  );
  for (const { event, payment } of declarations) await openOne(deps, event, payment, tx);
}

async function openOne(deps: Deps, event: Event, payment: Payment, tx: PoolClient): Promise<void> {
  const { clock, log } = deps;
  const balance = await openBalance(tx, newBalance(payment));
  if (balance.declared) return;
  await markDeclared(tx, balance);
  const at = event.occurredAt === undefined ? clock.now() : timestampDate(event.occurredAt);
  const { request_id: _, ...given } = refundColumns(
    create(CreateRefundRequestSchema, { paymentId: payment.id }),
  );
  const opened = declaredRefund(payment, balance, {
    ...deps,
    eventId: event.id,
    at,
    given,
  });
  if (opened === undefined) return;
  if (opened instanceof Failure) {
    log.warn({ paymentId: payment.id, reason: opened.message }, "a declared refund has no record");
    return;
  }
  await insertRefund(tx, opened.refund, toEvent(CREATED_EVENT, opened.refund, at, event.requestId));
  refundsTotal.inc({ status: opened.refund.status });
}
