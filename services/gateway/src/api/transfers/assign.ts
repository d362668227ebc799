// A merchant says what a transfer pays. Its transaction is then verified like any submitted hash: chains decides, and
// the transfer pays once.
import { Failure } from "@pay/failures";
import type { ArrivedTransfer } from "@pay/proto";
import { isId, toAddress, toChainId, toCurrency } from "@pay/values";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { submitRefundTransaction } from "../refunds/submit-transaction.ts";
import { requireField } from "../response-fields.ts";

type Body = { paymentId?: string | undefined; refundId?: string | undefined };

export async function assignTransfer(call: Call<unknown, Body>, deps: Pick<Deps, "prisma">) {
  const { body, params, services } = call;
  const { paymentId, refundId } = body;
  const requestedBy = call.caller.actor;
  const transfer = requireField((await services.chains.getTransfer({ id: params.id })).transfer);
  const txHash = transfer.transfer?.txHash ?? "";
  const { id } = transfer;
  if (paymentId !== undefined) {
    if (!isId("pay", paymentId)) throw new Failure("payment_not_found", "Payment not found");
    const payment = await services.payments.getPayment({ id: paymentId });
    checkFits(transfer, { ...payment, destinationAddress: payment.recipientAddress });
    // What counts for it already, perhaps as more than it asked for, needs no verification again.
    const answer = counts(transfer)
      ? { payment }
      : await services.payments.assignTransfer({ id: paymentId, txHash, requestedBy });
    return { id, txHash, paymentId, refundId: null, status: requireField(answer.payment).status };
  }
  if (refundId === undefined || !isId("refund", refundId)) {
    throw new Failure("refund_not_found", "Refund not found");
  }
  const { refund } = await services.refunds.getRefund({ id: refundId });
  checkFits(transfer, requireField(refund));
  const answer = counts(transfer)
    ? { refund }
    : await submitRefundTransaction(call, deps, { id: refundId, txHash });
  return { id, txHash, paymentId: null, refundId, status: requireField(answer.refund).status };
}

/** After the check that it counts for nothing else. */
function counts({ transfer }: ArrivedTransfer): boolean {
  return transfer !== undefined && transfer.subjectId !== "";
}

interface Wanted {
  id: string;
  chainId: bigint;
  currency: string;
  destinationAddress: string;
}

function checkFits({ transfer, ...arrived }: ArrivedTransfer, wanted: Wanted): void {
  const fits = {
    chain: toChainId(arrived.chainId) === toChainId(wanted.chainId),
    currency: toCurrency(arrived.currency) === toCurrency(wanted.currency),
    recipient: toAddress(transfer?.toAddress ?? "") === toAddress(wanted.destinationAddress),
  };
  const other = Object.entries(fits).flatMap(([name, holds]) => (holds ? [] : [name]));
  if (other.length > 0) {
    throw new Failure("transfer_mismatch", `Transfer differs in ${other.join(" and ")}`);
  }
  if (transfer?.subjectId !== "" && transfer?.subjectId !== wanted.id) {
    throw new Failure("tx_hash_used", "Transaction is already used by another payment");
  }
}
