// Variant B: a merchant declares a whole payment refunded, and payments has said so already. What is left of the
// payment becomes a refund that waits for its transaction. The balance remembers the declaration, so that it is
// followed once, whatever else payments tells about the payment later. Payments refuses to declare what has no known
// payer; where such a declaration comes all the same, the payment stays open for a refund that names its destination.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Event, Payment } from "@pay/proto";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { isRefusal, newBalance } from "../domain/balance.ts";
import { declaredRefund } from "../domain/new-refund.ts";
import { CREATED_EVENT } from "../domain/refund.ts";
import { refundsTotal } from "../metrics.ts";
import { insertRefund, markDeclared, openBalance } from "../storage.ts";
import { toEvent } from "../wire.ts";

const DECLARATION = "payment.refunded";

export const openDeclared = async (deps: Deps, events: Event[], tx: PoolClient): Promise<void> => {
  const declarations = events.flatMap((event) =>
    event.type === DECLARATION &&
    event.resource.case === "payment" &&
    event.resource.value.refundDeclared
      ? [{ event, payment: event.resource.value }]
      : [],
  );
  for (const { event, payment } of declarations) await openOne(deps, event, payment, tx);
};

const openOne = async (
  { clock, log }: Deps,
  event: Event,
  payment: Payment,
  tx: PoolClient,
): Promise<void> => {
  const balance = await openBalance(tx, newBalance(payment));
  if (balance.declared) return;
  await markDeclared(tx, payment.id);
  const at = event.occurredAt === undefined ? clock.now() : timestampDate(event.occurredAt);
  const opened = declaredRefund(payment, balance, { eventId: event.id, at });
  if (opened === undefined) return;
  if (isRefusal(opened)) {
    log.warn({ paymentId: payment.id, reason: opened.message }, "a declared refund has no record");
    return;
  }
  await insertRefund(tx, opened.refund, toEvent(CREATED_EVENT, opened.refund, at, event.requestId));
  refundsTotal.inc({ status: opened.refund.status });
};
