import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { retryOnStaleVersion } from "@pay/database";
import { Failure } from "@pay/failures";
import { findAnswer, idempotentRequest, writeOnce } from "@pay/idempotency";
import { type Payment, PaymentSchema, type RefundPaymentRequest } from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import type { Deps } from "../deps.ts";
import { canDeclareRefund, declareRefund } from "../domain/change.ts";
import { recordMove, toMessage } from "../messages.ts";
import { findPayments, movePayments } from "../storage/payments.ts";
import { checkRefund } from "./check-refund.ts";
import { PAYMENT_NOT_FOUND } from "./get-payments.ts";

const CHARGES_FEE =
  "The currency keeps a part of each transfer, so no refund of it arrives in full";

/**
 * The merchant declares the payment refunded, and the refunds service opens the refund. Where it finds no destination,
 * the refund waits for one.
 */
export async function refundPayment(
  deps: Deps,
  request: RefundPaymentRequest,
  context: CallContext,
): Promise<{ payment: Payment; replayed: boolean }> {
  const tenant = parseTenant(request.tenant);
  const key = idempotentRequest(tenant, request.idempotency);
  const earlier = key && (await findAnswer(deps.db.pool, key));
  if (earlier !== undefined) return { payment: fromBinary(PaymentSchema, earlier), replayed: true };
  await checkOnChain(deps, tenant, request, context);
  async function refund(db: Pool | ClientBase): Promise<Payment> {
    return retryOnStaleVersion("payment", () =>
      refundOnce({ db, clock: deps.clock }, tenant, request),
    );
  }

  try {
    if (key === undefined) return { payment: await refund(deps.db.pool), replayed: false };
    const { response, replayed } = await writeOnce(deps.db.pool, key, async (tx) =>
      toBinary(PaymentSchema, await refund(tx)),
    );
    return { payment: fromBinary(PaymentSchema, response), replayed };
  } finally {
    deps.relay.wake();
  }
}

/** Runs before the transaction, so that no lock is held while the chain is queried. */
async function checkOnChain(
  deps: Deps,
  tenant: Tenant,
  { id }: RefundPaymentRequest,
  context: CallContext,
): Promise<void> {
  const [payment] = await findPayments(deps.db.pool, [{ tenant, id }]);
  if (payment === undefined || !canDeclareRefund(payment)) return;
  const { chargesFee } = await checkRefund(deps, { payment, accounts: [] }, context);
  if (chargesFee) throw new Failure("refund_currency_unsupported", CHARGES_FEE);
}

type Refunding = Pick<Deps, "clock"> & { db: Pool | ClientBase };

/** Undefined when another writer moved the payment. */
async function refundOnce(
  { db, clock }: Refunding,
  tenant: Tenant,
  { id, ...cause }: RefundPaymentRequest,
): Promise<Payment | undefined> {
  const [payment] = await findPayments(db, [{ tenant, id }]);
  if (payment === undefined) throw new Failure("payment_not_found", PAYMENT_NOT_FOUND);
  const now = clock.now();
  const refunded = declareRefund(payment, now);
  if (refunded instanceof Failure) throw refunded;
  if (refunded.kind === "unchanged") return toMessage(payment);
  const done = await movePayments(db, [recordMove(refunded, now, cause)]);
  return done.has(id) ? toMessage(refunded.payment) : undefined;
}
