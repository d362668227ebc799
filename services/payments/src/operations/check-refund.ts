import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RefundCheckSchema } from "@pay/proto";
import type { CallContext } from "@pay/rpc";
import { toAddress, toCurrency } from "@pay/values";
import type { Deps } from "../deps.ts";
import type { Payment } from "../domain/payment.ts";

export type RefundCheckInit = Exclude<
  MessageInitShape<typeof RefundCheckSchema>,
  { $typeName: string }
>;

/** The default destination of a refund, in lower case. */
export function findPayer({
  sender_address,
  payer_address,
}: Pick<Payment, "sender_address" | "payer_address">): string | undefined {
  const payer = sender_address || payer_address;
  return payer ? toAddress(payer) : undefined;
}

/** Reasons of the chain against a refund. While chains is away, the kind of the payer's wallet is unknown. */
export async function checkRefund(
  { chains, log }: Pick<Deps, "chains" | "log">,
  { payment, account }: { payment: Payment; account: string | undefined },
  context: CallContext,
): Promise<RefundCheckInit> {
  try {
    const { accountIsContract, chargesFee } = await chains.checkRefund(
      {
        chainId: payment.chain_id,
        currency: toCurrency(payment.currency),
        ...(account && { account }),
      },
      { context },
    );
    return {
      chargesFee,
      ...(accountIsContract === undefined ? {} : { payerIsContract: accountIsContract }),
    };
  } catch (error) {
    log.warn({ err: error, paymentId: payment.id }, "chains could not check a refund");
    return { chargesFee: false };
  }
}
