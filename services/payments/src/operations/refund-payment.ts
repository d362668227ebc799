import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { retryOnStaleVersion } from "@pay/database";
import { Failure } from "@pay/failures";
import { findAnswer, idempotentRequest, writeOnce } from "@pay/idempotency";
import { type Payment, PaymentSchema, type RefundPaymentRequest } from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import type { Deps } from "../deps.ts";
import { move } from "../domain/payment.ts";
import { recordMove, toMessage } from "../messages.ts";
import { findPayments, movePayments } from "../storage/payments.ts";
import { checkRefund, findPayer } from "./check-refund.ts";
import { PAYMENT_NOT_FOUND } from "./get-payments.ts";

const NO_PAYER = "Payment has no known payer; POST /v1/refunds refunds it to a destinationAddress";

const CONTRACT_PAYER =
  "The wallet that paid is a contract; POST /v1/refunds refunds the payment to a destinationAddress";
const CHARGES_FEE =
  "The currency keeps a part of each transfer, so no refund of it arrives in full";
const CHAIN_UNAVAILABLE = "The chain cannot check the wallet that paid";

/** The merchant declares the payment refunded, and the refunds service opens the refund. */
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
    const refunding = { db, clock: deps.clock, sharedAddresses: deps.sharedAddresses };
    return retryOnStaleVersion("payment", () => refundOnce(refunding, tenant, request));
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
  if (payment === undefined || move(payment, "refund", {}) === undefined) return;
  const account = findPayer(payment);
  const check = await checkRefund(deps, { payment, account }, context);
  const { payerIsContract, chargesFee } = check;
  if (chargesFee) throw new Failure("refund_currency_unsupported", CHARGES_FEE);
  if (payerIsContract === true) throw new Failure("payment_payer_unknown", CONTRACT_PAYER);
  if (payerIsContract === undefined && account !== undefined)
    throw new Failure("service_unavailable", CHAIN_UNAVAILABLE);
}

type Refunding = Pick<Deps, "clock" | "sharedAddresses"> & { db: Pool | ClientBase };

/** Undefined when another writer moved the payment. */
async function refundOnce(
  { db, clock, sharedAddresses }: Refunding,
  tenant: Tenant,
  { id, requestId }: RefundPaymentRequest,
): Promise<Payment | undefined> {
  const [payment] = await findPayments(db, [{ tenant, id }]);
  if (payment === undefined) throw new Failure("payment_not_found", PAYMENT_NOT_FOUND);
  const now = clock.now();
  const refunded = move(payment, "refund", { refunded_at: now, refund_declared: true });
  if (refunded === undefined) {
    throw new Failure("payment_not_refundable", "Only confirmed payments can be refunded");
  }
  // Without a payer the refund has no destination and could never be created.
  const payer = findPayer(payment);
  if (payer === undefined || sharedAddresses.has(payer))
    throw new Failure("payment_payer_unknown", NO_PAYER);
  const done = await movePayments(db, [recordMove(refunded, now, requestId)]);
  return done.has(id) ? toMessage(refunded.payment) : undefined;
}
