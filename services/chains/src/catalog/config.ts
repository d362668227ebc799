// The settings of chains, tokens and their providers.
import { variable } from "@pay/process";
import { FINALITY_MODES, isAddress, parseChainId, toChainId } from "@pay/values";
import { z } from "zod";

function byChain<T>(value: z.ZodType<T>) {
  return z
    .record(
      z.string().refine((id) => parseChainId(id) !== undefined),
      value,
    )
    .transform(
      (record) => new Map(Object.entries(record).map(([id, entry]) => [toChainId(id), entry])),
    );
}

const providerUrl = z.url({ protocol: /^https?$/ });

const token = z.object({
  symbol: z.string().min(1).max(32),
  name: z.string().min(1).max(100),
  address: z.string().refine(isAddress),
  decimals: z.number().int().min(0).max(36),
  /** Whether its contract keeps a part of each transfer: refunds of it are refused. */
  feeOnTransfer: z.boolean().optional(),
});

const finality = z.object({
  mode: z.enum(FINALITY_MODES),
  confirmations: z.number().int().min(1).max(10_000),
  highValueUnits: z
    .string()
    .regex(/^[1-9][0-9]{0,59}$/)
    .transform((text) => BigInt(text))
    .optional(),
});

const localChain = z.strictObject({
  rpcUrl: z.url({ protocol: /^https?$/ }),
  chainId: z.int().min(1).max(Number.MAX_SAFE_INTEGER).default(31_337).transform(toChainId),
  /** As of CHAINS_TOKENS. */
  tokens: z.array(token).max(500).default([]),
});

export const catalogConfig = {
  /** Secret. Providers by chain id, the preferred one first: {"1": ["https://…", "https://…"]}. */
  CHAINS_PROVIDERS: variable.json(
    byChain(z.array(providerUrl).min(1).max(8)),
    "{}",
    'must be JSON like {"1": ["https://…"]}',
  ),
  /**
   * Lets providers beyond this machine be asked over plain http, whose answers a party in between can change. For
   * tests and private networks.
   */
  CHAINS_ALLOW_HTTP_PROVIDERS: variable.flag(),
  /** Tokens besides the well-known ones: {"1": [{"symbol": …, "name": …, "address": …, "decimals": …}]}. */
  CHAINS_TOKENS: variable.json(
    byChain(z.array(token).max(500)),
    "{}",
    'must be JSON like {"1": [{"symbol": "…", "name": "…", "address": "0x…", "decimals": 6}]}',
  ),
  /** When a payment counts as settled, where the default of a chain will not do. */
  CHAINS_FINALITY: variable.json(
    byChain(finality),
    "{}",
    'must be JSON like {"1": {"mode": "confirmations", "confirmations": 12, "highValueUnits": "10000"}}',
  ),
  /** A development chain besides the well-known ones; its address is public. */
  CHAINS_LOCAL: variable
    .parts(localChain, '{"rpcUrl": "http://127.0.0.1:8545", "chainId": 31337, "tokens": []}')
    .optional(),
};

const shape = z.object(catalogConfig);

export type CatalogConfig = z.infer<typeof shape>;
