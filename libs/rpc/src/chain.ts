import { Failure } from "@pay/failures";
import { type ChainId, parseChainId } from "@pay/values";

/** A request that names no chain where one is needed is a bug of the caller, as one without a tenant is. */
export function parseChain(chainId: bigint): ChainId {
  const chain = parseChainId(chainId.toString());
  if (chain === undefined) throw new Failure("call_malformed", "A request needs its chain");
  return chain;
}
