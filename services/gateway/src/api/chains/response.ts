import type { Chain, Token } from "@pay/proto";
import { toChainId } from "@pay/values";
import { TOKEN as EXAMPLE_TOKEN } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";

/** What the status of a payment is made from. */
type KeptBack =
  | "nativeDecimals"
  | "tokens"
  | "headNumber"
  | "confirmationsNeeded"
  | "finalNumber"
  | "blockTimeMs"
  | "highValueUnits"
  | "refusesTrailingData"
  | "hasDepositAddresses"
  | "sponsorAddress";

const CHAIN = {
  chainId: { schema: shown.chainId, of: (c) => toChainId(c.chainId) },
  name: { schema: shown.string("Name of the chain.", "Ethereum"), of: (c) => c.name },
  symbol: {
    schema: shown.string("Symbol of the chain's native coin.", "ETH"),
    of: (c) => c.symbol,
  },
  rpcUrl: {
    schema: shown.string("Public RPC URL of the chain.", "https://ethereum-rpc.example"),
    of: (c) => c.rpcUrl,
  },
  blockExplorerUrl: {
    schema: shown.stringOrNull(
      "Block explorer of the chain; null without one.",
      "https://etherscan.io",
    ),
    of: (c) => c.blockExplorerUrl ?? null,
  },
  isTestnet: {
    schema: shown.boolean("Whether the chain is a test network.", false),
    of: (c) => c.isTestnet,
  },
} satisfies MessageFields<Chain, KeptBack>;

const TOKEN = {
  symbol: { schema: shown.string("Symbol of the token.", "USDC"), of: (t) => t.symbol },
  name: { schema: shown.string("Name of the token.", "USD Coin"), of: (t) => t.name },
  address: {
    schema: shown.string("Contract address of the token.", EXAMPLE_TOKEN),
    of: (t) => t.address,
  },
  decimals: { schema: shown.integer("Decimals of the token.", 6), of: (t) => t.decimals },
  chainId: { schema: shown.chainId, of: (t) => toChainId(t.chainId) },
  gasless: {
    schema: shown.boolean("Whether payers can sign for a transfer whose gas the service pays."),
    of: (t) => t.authorization !== undefined,
  },
} satisfies MessageFields<Token, "authorization">;

const CHAIN_FIELDS = listNames(CHAIN);
export const TOKEN_EXTRAS = ["gasless"] as const;
const TOKEN_FIELDS = listNames(TOKEN).filter((name) => name !== "gasless");

export function renderChain(chain: Chain) {
  return pick(CHAIN, CHAIN_FIELDS, chain);
}

export function renderToken(token: Token, more: readonly (typeof TOKEN_EXTRAS)[number][] = []) {
  return pick(TOKEN, TOKEN_FIELDS, token, more);
}

export const chainShape = buildShape("Chain", CHAIN, CHAIN_FIELDS);
export const tokenShape = buildShape("ChainToken", TOKEN, TOKEN_FIELDS, TOKEN_EXTRAS);
