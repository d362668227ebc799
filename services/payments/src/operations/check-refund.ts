import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RefundCheckSchema } from "@pay/proto";
import type { CallContext } from "@pay/rpc";
import { toCurrency } from "@pay/values";
import type { Deps } from "../deps.ts";
import type { Payment } from "../domain/payment.ts";

export type RefundCheckInit = Exclude<
  MessageInitShape<typeof RefundCheckSchema>,
  { $typeName: string }
>;

/** Reasons of the chain against a refund. While chains is away, the kind of the wallets is unknown. */
export async function checkRefund(
  { chains, log }: Pick<Deps, "chains" | "log">,
  { payment, accounts }: { payment: Payment; accounts: readonly string[] },
  context: CallContext,
): Promise<RefundCheckInit> {
  const { chain_id: chainId } = payment;
  const currency = toCurrency(payment.currency);
  /** The fee of the currency is checked without an account, too. */
  const wanted = accounts.length === 0 ? [undefined] : accounts;
  try {
    const checks = await Promise.all(
      wanted.map(async (account) => ({
        account,
        ...(await chains.checkRefund(
          { chainId, currency, ...(account && { account }) },
          { context },
        )),
      })),
    );
    const known = checks.flatMap(({ account, accountIsContract }) =>
      account === undefined || accountIsContract === undefined
        ? []
        : [[account, accountIsContract] as const],
    );
    return {
      chargesFee: checks.some(({ chargesFee }) => chargesFee),
      senderIsContract: Object.fromEntries(known),
    };
  } catch (error) {
    log.warn({ err: error, paymentId: payment.id }, "chains could not check a refund");
    return { chargesFee: false };
  }
}
