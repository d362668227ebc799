// Code at a recipient may refuse native coin that comes with data: a wallet of several owners, a delegated account.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CheckRecipientRequest, CheckRecipientResponseSchema } from "@pay/proto";
import { parseChain } from "@pay/rpc";
import { toAddress } from "@pay/values";
import type { Deps } from "../deps.ts";

export async function checkRecipient(
  { codes }: Deps,
  { chainId, account }: CheckRecipientRequest,
): Promise<MessageInitShape<typeof CheckRecipientResponseSchema>> {
  const code = await codes.readCode(parseChain(chainId), toAddress(account));
  return code === undefined ? {} : { hasCode: code !== "0x" };
}
