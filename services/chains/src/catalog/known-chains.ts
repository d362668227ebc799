// The chains that a deployment may configure. A chain is offered only where a provider is configured, and a token only
// after its contract has reported the decimals in the list.
import { type ChainId, toChainId } from "@pay/values";
import { NETWORKS, type Network } from "../generated/networks/index.ts";
import { CHAIN_POLICIES, type ChainPolicy, type TokenEntry } from "./chain-policies.ts";

export interface ChainEntry
  extends Network,
    Pick<ChainPolicy, "blockTimeMs" | "finality" | "trailingData"> {
  chainId: ChainId;
  isTestnet: boolean;
  tokens: readonly TokenEntry[];
}

export const KNOWN_CHAINS: readonly ChainEntry[] = Object.entries(CHAIN_POLICIES).flatMap(
  ([id, { name: _name, rpcUrl: _rpcUrl, isTestnet = false, tokens = [], ...policy }]) => {
    const network = NETWORKS[Number(id)];
    if (network === undefined) return [];
    return { ...network, ...policy, chainId: toChainId(id), isTestnet, tokens };
  },
);
