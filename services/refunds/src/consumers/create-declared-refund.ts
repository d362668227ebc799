// Variant B: payments has published that a merchant declared a payment refunded. The rest of the payment becomes a
// refund. The balance remembers the declaration, so that later events of the payment create nothing.
import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { EventType } from "@pay/events";
import { Failure } from "@pay/failures";
import { CreateRefundRequestSchema, type Event, type PaymentSnapshot } from "@pay/proto";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { newBalance } from "../domain/balance.ts";
import { buildDeclaredRefund } from "../domain/new-refund.ts";
import { CREATED_EVENT } from "../domain/refund.ts";
import { refundColumns, toEvent, toPayment } from "../messages.ts";
import { refundsTotal } from "../metrics.ts";
import { findPayment, type RefundablePayment } from "../operations/find-payment.ts";
import { insertRefund, markDeclared, openBalance, sumReturned } from "../storage/refunds.ts";

const DECLARATION: EventType = "payment.refunded";

interface Declaration extends RefundablePayment {
  event: Event;
  declaredAt: Date;
}

/** Reads the declared payments from payments, before any row is locked. */
export async function readDeclarations(deps: Deps, events: Event[]): Promise<Declaration[]> {
  const declarations: Declaration[] = [];
  for (const event of events) {
    if (event.type !== DECLARATION || event.resource.case !== "payment") continue;
    const { value: snapshot } = event.resource;
    if (!snapshot.refundDeclared || snapshot.refundedAt === undefined) continue;
    const declaredAt = timestampDate(snapshot.refundedAt);
    declarations.push({ event, declaredAt, ...(await readPayment(deps, event, snapshot)) });
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
  for (const declaration of declarations) await createDeclaredRefund(deps, declaration, tx);
}

async function createDeclaredRefund(
  deps: Deps,
  { event, payment, check, declaredAt: at }: Declaration,
  tx: PoolClient,
): Promise<void> {
  const balance = await openBalance(tx, newBalance(payment));
  if (balance.declared_at?.getTime() === at.getTime()) return;
  await markDeclared(tx, balance, at);
  const returned = await sumReturned(tx, balance);
  const {
    request_id: _,
    any_destination: __,
    ...request
  } = refundColumns(create(CreateRefundRequestSchema, { paymentId: payment.id }));
  const facts = { ...deps, check, returned };
  const made = buildDeclaredRefund(payment, balance, { ...facts, eventId: event.id, at, request });
  if (made === undefined) return;
  await insertRefund(tx, made.refund, toEvent(CREATED_EVENT, made.refund, at, event.requestId));
  refundsTotal.inc({ status: made.refund.status });
}
