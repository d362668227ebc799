// node tools/networks.mjs: writes names, currencies and public addresses of the chains in
// services/chains/src/catalog/chain-policies.ts to services/chains/src/generated/networks, from the list of
// @revoke.cash/chains. Set-up runs it.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { allChains } from "@revoke.cash/chains";
import { CHAIN_POLICIES } from "../services/chains/src/catalog/chain-policies.ts";

const HOME = join(dirname(dirname(fileURLToPath(import.meta.url))), "services", "chains");
const OUTPUT = join(HOME, "src", "generated", "networks");

/** An address that anybody may use: without a key, a port or a placeholder. */
const PUBLIC = /^https:\/\/[a-z0-9.-]+(\/[a-zA-Z/]*)?$/;
const SUFFIX = / Mainnet$|(?<=Sepolia) Testnet$/;

function toNetwork(chainId, { name, rpcUrl }) {
  const chain = allChains()[chainId];
  if (chain === undefined) throw new Error(`the list has no chain ${chainId}`);
  const address = rpcUrl ?? chain.rpc.find((url) => PUBLIC.test(url));
  if (address === undefined) throw new Error(`chain ${chainId} has no address without a key`);
  const explorer = chain.explorers?.find(({ url }) => PUBLIC.test(url));
  const { symbol, decimals } = chain.nativeCurrency;
  return {
    name: name ?? chain.name.replace(SUFFIX, ""),
    symbol,
    nativeDecimals: decimals,
    rpcUrl: address.replace(/\/$/, ""),
    blockExplorerUrl: explorer?.url.replace(/\/$/, "") ?? null,
  };
}

const networks = Object.entries(CHAIN_POLICIES).map(([id, policy]) => [id, toNetwork(id, policy)]);
mkdirSync(OUTPUT, { recursive: true });
writeFileSync(
  join(OUTPUT, "index.ts"),
  `// Made by tools/networks.mjs.
export interface Network {
  name: string;
  symbol: string;
  nativeDecimals: number;
  rpcUrl: string;
  blockExplorerUrl: string | null;
}

export const NETWORKS: Readonly<Record<number, Network>> = ${JSON.stringify(Object.fromEntries(networks), null, 2)};
`,
);
