import type { Chain, Token } from "@pay/proto";
import { toChainId } from "@pay/values";
import { z } from "zod";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";

const CHAIN = {
  chainId: { schema: z.int(), of: (c) => toChainId(c.chainId) },
  name: { schema: z.string(), of: (c) => c.name },
  symbol: { schema: z.string(), of: (c) => c.symbol },
  rpcUrl: { schema: z.string(), of: (c) => c.rpcUrl },
  blockExplorerUrl: {
    schema: z.string().nullable(),
    of: (c) => c.blockExplorerUrl ?? null,
  },
  isTestnet: { schema: z.boolean(), of: (c) => c.isTestnet },
} satisfies MessageFields<Chain, "nativeDecimals" | "tokens">;

const TOKEN = {
  symbol: { schema: z.string(), of: (t) => t.symbol },
  name: { schema: z.string(), of: (t) => t.name },
  address: { schema: z.string(), of: (t) => t.address },
  decimals: { schema: z.int(), of: (t) => t.decimals },
  chainId: { schema: z.int(), of: (t) => toChainId(t.chainId) },
} satisfies MessageFields<Token>;

const CHAIN_FIELDS = listNames(CHAIN);
const TOKEN_FIELDS = listNames(TOKEN);

export function renderChain(chain: Chain) {
  return pick(CHAIN, CHAIN_FIELDS, chain);
}

export function renderToken(token: Token) {
  return pick(TOKEN, TOKEN_FIELDS, token);
}

export const chainShape = buildShape(CHAIN, CHAIN_FIELDS);
export const tokenShape = buildShape(TOKEN, TOKEN_FIELDS);
