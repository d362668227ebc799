import type { MessageInitShape } from "@bufbuild/protobuf";
import { Failure } from "@pay/failures";
import type { CheckSignatureRequest, CheckSignatureResponseSchema } from "@pay/proto";
import { parseChain } from "@pay/rpc";
import { isAddress, toAddress } from "@pay/values";
import type { Deps } from "../deps.ts";

const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;

export async function checkSignature(
  { signatures }: Pick<Deps, "signatures">,
  { chainId, account, texts, signature }: CheckSignatureRequest,
): Promise<MessageInitShape<typeof CheckSignatureResponseSchema>> {
  if (!isAddress(account)) throw new Failure("field_invalid", "account must be an address");
  if (!BYTES.test(signature)) throw new Failure("field_invalid", "signature must be bytes");
  const signed = { chainId: parseChain(chainId), account: toAddress(account), texts, signature };
  const isValid = await signatures.isValid(signed);
  if (isValid === undefined) {
    throw new Failure("service_unavailable", "No provider of the chain can check the signature");
  }
  return { isValid };
}
