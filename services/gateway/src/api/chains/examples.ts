import type { Examples } from "../example-answers.ts";
import { TOKEN } from "../example-values.ts";

const token = { symbol: "USDC", name: "USD Coin", address: TOKEN, decimals: 6, chainId: 1 };
const chain = {
  chainId: 1,
  name: "Ethereum",
  symbol: "ETH",
  rpcUrl: "https://ethereum-rpc.example",
  blockExplorerUrl: "https://etherscan.io",
  isTestnet: false,
};

export const EXAMPLES: Examples = {
  "GET /v1/chains": { response: [chain] },
  "GET /v1/chains/{chainId}/tokens": { response: [token] },
  "GET /v1/tokens": { response: [token] },
};
