import type { Chain, Token } from "@pay/proto";
import { chainIdOf } from "@pay/values";
import { z } from "zod";
import { type FieldsOf, namesOf, pick, shapeOf } from "../response-fields.ts";

const CHAIN = {
  chainId: { schema: z.int(), of: (c) => chainIdOf(c.chainId) },
  name: { schema: z.string(), of: (c) => c.name },
  symbol: { schema: z.string(), of: (c) => c.symbol },
  rpcUrl: { schema: z.string(), of: (c) => c.rpcUrl },
  blockExplorerUrl: {
    schema: z.string().nullable(),
    of: (c) => c.blockExplorerUrl ?? null,
  },
  isTestnet: { schema: z.boolean(), of: (c) => c.isTestnet },
} satisfies FieldsOf<Chain, "nativeDecimals" | "tokens">;

const TOKEN = {
  symbol: { schema: z.string(), of: (t) => t.symbol },
  name: { schema: z.string(), of: (t) => t.name },
  address: { schema: z.string(), of: (t) => t.address },
  decimals: { schema: z.int(), of: (t) => t.decimals },
  chainId: { schema: z.int(), of: (t) => chainIdOf(t.chainId) },
} satisfies FieldsOf<Token>;

const CHAIN_FIELDS = namesOf(CHAIN);
const TOKEN_FIELDS = namesOf(TOKEN);

export function renderChain(chain: Chain) {
  return pick(CHAIN, CHAIN_FIELDS, chain);
}

export function renderToken(token: Token) {
  return pick(TOKEN, TOKEN_FIELDS, token);
}

export const chainShape = shapeOf(CHAIN, CHAIN_FIELDS);
export const tokenShape = shapeOf(TOKEN, TOKEN_FIELDS);
