import type { Chain, Token } from "@pay/proto";
import { z } from "zod";
import { pick, shapeOf } from "./shape.ts";

const CHAIN = {
  chainId: { schema: z.int(), of: (c: Chain) => Number(c.chainId) },
  name: { schema: z.string(), of: (c: Chain) => c.name },
  symbol: { schema: z.string(), of: (c: Chain) => c.symbol },
  rpcUrl: { schema: z.string(), of: (c: Chain) => c.rpcUrl },
  blockExplorerUrl: {
    schema: z.string().nullable(),
    of: (c: Chain) => c.blockExplorerUrl ?? null,
  },
  isTestnet: { schema: z.boolean(), of: (c: Chain) => c.isTestnet },
};

const TOKEN = {
  symbol: { schema: z.string(), of: (t: Token) => t.symbol },
  name: { schema: z.string(), of: (t: Token) => t.name },
  address: { schema: z.string(), of: (t: Token) => t.address },
  decimals: { schema: z.int(), of: (t: Token) => t.decimals },
  chainId: { schema: z.int(), of: (t: Token) => Number(t.chainId) },
};

const CHAIN_FIELDS = Object.keys(CHAIN);
const TOKEN_FIELDS = Object.keys(TOKEN);

export const renderChain = (chain: Chain) => pick(CHAIN, CHAIN_FIELDS, chain);
export const renderToken = (token: Token) => pick(TOKEN, TOKEN_FIELDS, token);
export const chainShape = shapeOf(CHAIN, CHAIN_FIELDS);
export const tokenShape = shapeOf(TOKEN, TOKEN_FIELDS);
