import { type Failure, fromItemFailure } from "@pay/failures";
import type { RefundCheck } from "@pay/proto";
import type { CallContext, Tenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import type { Payment } from "../domain/balance.ts";
import { toPayment } from "../messages.ts";

/** A payment, and the result of the check of its refund on the chain. */
export interface RefundablePayment {
  payment: Payment;
  check: RefundCheck | undefined;
}

/**
 * Reads a payment, for a refund with the check on the chain. It is read before a transaction, so that no lock is held
 * during a call to another service. A failure is returned and not thrown, because an idempotency key stores it as the
 * response.
 */
export async function findPayment(
  { payments }: Pick<Deps, "payments">,
  { forRefund = true, ...request }: { tenant: Tenant; id: string; forRefund?: boolean },
  context: Partial<CallContext>,
): Promise<RefundablePayment | Failure> {
  const requests = [{ ...request, forRefund }];
  const { results } = await payments.batchGetPayments({ requests }, { context });
  const { result, refundCheck: check } = results[0] ?? {};
  if (result?.case === "payment") return { payment: toPayment(result.value), check };
  if (result?.case === "failure") return fromItemFailure(result.value);
  throw new Error("payments returned no result");
}
