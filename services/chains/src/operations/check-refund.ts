// What the chain says against a refund before anyone signs it. An account with code cannot be trusted to know whose money it
// gets: it is an exchange's or a payment processor's more often than a person's.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CheckRefundRequest, CheckRefundResponseSchema } from "@pay/proto";
import { addressOf, currencyOf } from "@pay/values";
import type { Deps } from "../deps.ts";
import { digestOf } from "../providers/decode.ts";
import type { Providers } from "../providers/providers.ts";
import { answerOf } from "../verification/read-transaction.ts";

export async function checkRefund(
  { providers, feeTokens, walletCodes }: Deps,
  { chainId, currency, account }: CheckRefundRequest,
): Promise<MessageInitShape<typeof CheckRefundResponseSchema>> {
  const id = Number(chainId);
  const chargesFee = feeTokens.get(id)?.has(currencyOf(currency)) ?? false;
  if (account === undefined) return { chargesFee };
  const code = await codeOf(providers.get(id), addressOf(account));
  if (code === undefined) return { chargesFee };
  return { chargesFee, accountIsContract: !isOfPerson(code, walletCodes) };
}

/** Undefined while no provider answers. */
async function codeOf(
  providers: Providers | undefined,
  account: string,
): Promise<string | undefined> {
  for (const reader of (await providers?.readers()) ?? []) {
    const code = await answerOf(reader.code(account));
    if (code !== undefined) return code;
  }
  return undefined;
}

/** EIP-7702: the account has a key as before, and runs the code of another address. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/;

function isOfPerson(code: string, walletCodes: ReadonlySet<string>): boolean {
  return code === "0x" || DELEGATION.test(code) || walletCodes.has(digestOf(code));
}
