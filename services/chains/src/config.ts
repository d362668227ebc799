import { databaseConfig } from "@pay/database";
import { variable } from "@pay/process";
import { isAddress, parseChainId, toChainId, toHex } from "@pay/values";
import { z } from "zod";
import { signerEntry } from "./signing/signer-config.ts";

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
  mode: z.enum(["confirmations", "safe", "finalized"]),
  confirmations: z.number().int().min(1).max(10_000),
  highValueUnits: z
    .string()
    .regex(/^[1-9][0-9]{0,59}$/)
    .transform((text) => BigInt(text))
    .optional(),
});

export const chainsConfig = z.object({
  ...databaseConfig("CHAINS"),
  /** Port of the gRPC server; 0 picks a free one. */
  CHAINS_GRPC_PORT: variable.port(50_051),
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
  /** keccak256 of the codes of contracts that are wallets of people, comma separated: refunds go there by default. */
  CHAINS_WALLET_CODES: variable
    .list()
    .transform((codes) => new Set(codes.map(toHex)))
    .refine(
      (codes) => [...codes].every((code) => /^0x[0-9a-f]{64}$/.test(code)),
      "must be 32-byte hex strings, separated by commas",
    ),
  /**
   * Wallets whose refunds and settlements this service signs and sends itself, with their limits. Keys are in files or with a
   * server that signs; none by default.
   */
  CHAINS_SIGNERS: variable.json(
    z.array(signerEntry).max(100),
    "[]",
    'must be JSON like [{"projectId": "proj_…", "mode": "live", "chainId": 1, "address": "0x…", "keystoreFile": "…", "passphraseFile": "…", "limits": {"native": {"transactionMax": "1", "dayMax": "10"}}}]',
  ),
  /** A development chain besides the well-known ones; its address is public. */
  CHAINS_LOCAL_RPC_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** What the development chain calls itself. */
  CHAINS_LOCAL_CHAIN_ID: z.coerce
    .number()
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .default(31_337)
    .transform(toChainId),
  CHAINS_LOCAL_NAME: z.string().min(1).max(100).default("Local chain"),
  /** Of its native coin, which has 18 decimals. */
  CHAINS_LOCAL_SYMBOL: z.string().min(1).max(32).default("ETH"),
  /** Tokens of the development chain: [{"symbol": …, "name": …, "address": …, "decimals": …}]. */
  CHAINS_LOCAL_TOKENS: variable.json(
    z.array(token).max(500),
    "[]",
    'must be JSON like [{"symbol": "…", "name": "…", "address": "0x…", "decimals": 6}]',
  ),
  /** Bound on one call to a provider. */
  CHAINS_RPC_TIMEOUT_MS: variable.ms(8_000).refine((ms) => ms > 0, "must be at least 1"),
  /** Bound on one answer of a provider. */
  CHAINS_RPC_RESPONSE_BYTES_MAX: variable.count(33_554_432, 1_073_741_824),
  /** Pause between two looks for hashes that are due. */
  CHAINS_VERIFY_INTERVAL_MS: variable.ms(500),
  /** How long after its time a payment whose transfer may be another one's waits for the signature of the wallet. */
  CHAINS_SIGNING_TIME_MS: variable.ms(3_600_000),
  /** Pause between two looks for new blocks; 0: half the chain's block time, within 250 ms and 2 s. */
  CHAINS_FOLLOW_INTERVAL_MS: variable.ms(0),
  /** Pause between two comparisons of the books with each chain. */
  CHAINS_BOOKS_INTERVAL_MS: variable.ms(60_000),
  /** Hashes of one chain looked at in parallel. */
  CHAINS_VERIFY_CONCURRENCY: variable.count(16, 256).refine((n) => n > 0, "must be at least 1"),
});

export type ChainsConfig = z.infer<typeof chainsConfig>;
