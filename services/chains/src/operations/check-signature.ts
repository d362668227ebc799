import type { MessageInitShape } from "@bufbuild/protobuf";
import { Failure } from "@pay/failures";
import type { CheckSignatureRequest, CheckSignatureResponseSchema } from "@pay/proto";
import { addressOf } from "@pay/values";
import type { Deps } from "../deps.ts";

export async function checkSignature(
  { signatures }: Pick<Deps, "signatures">,
  { chainId, account, text, signature }: CheckSignatureRequest,
): Promise<MessageInitShape<typeof CheckSignatureResponseSchema>> {
  const signed = { chainId: Number(chainId), account: addressOf(account), text, signature };
  const isValid = await signatures.isValid(signed);
  if (isValid === undefined) {
    throw new Failure("service_unavailable", "No provider of the chain can check the signature");
  }
  return { isValid };
}
