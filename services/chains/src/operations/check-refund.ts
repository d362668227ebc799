// Checks a refund against the chain before anyone signs it. An account with code belongs to an exchange or a payment
// processor more often than to a person.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CheckRefundRequest, CheckRefundResponseSchema } from "@pay/proto";
import { parseChain } from "@pay/rpc";
import { toAddress, toCurrency } from "@pay/values";
import type { Deps } from "../deps.ts";
import { toDigest } from "../providers/decode.ts";
import { NATIVE } from "../providers/domain/transfer.ts";

export async function checkRefund(
  { codes, feeTokens, walletCodes }: Deps,
  { chainId, currency, account }: CheckRefundRequest,
): Promise<MessageInitShape<typeof CheckRefundResponseSchema>> {
  const id = parseChain(chainId);
  const token = toCurrency(currency);
  const chargesFee = token !== NATIVE && (feeTokens.get(id)?.has(token) ?? false);
  if (account === undefined) return { chargesFee };
  const code = await codes.getCode(id, toAddress(account));
  if (code === undefined) return { chargesFee };
  return { chargesFee, accountIsContract: !isOfPerson(code, walletCodes) };
}

/** EIP-7702: the account has a key as before, and runs the code of another address. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/;

function isOfPerson(code: string, walletCodes: ReadonlySet<string>): boolean {
  return code === "0x" || DELEGATION.test(code) || walletCodes.has(toDigest(code));
}
