import { databaseConfig } from "@pay/database";
import { egressConfig } from "@pay/egress";
import { variable } from "@pay/process";
import { toHex } from "@pay/values";
import { z } from "zod";
import { catalogConfig } from "./catalog/config.ts";
import { signerEntry } from "./payouts/signer-config.ts";

export const chainsConfig = z.object({
  ...databaseConfig("CHAINS"),
  ...catalogConfig,
  ...egressConfig,
  /** Port of the gRPC server; 0 picks a free one. */
  CHAINS_GRPC_PORT: variable.port(50_051),
  /** Address of the payments service, e.g. dns:///payments:50051. */
  PAYMENTS_ADDRESS: z.string().min(1),
  /** keccak256 of the codes of contracts that are wallets of people, comma separated: refunds go there by default. */
  CHAINS_WALLET_CODES: variable
    .list()
    .transform((codes) => new Set(codes.map(toHex)))
    .refine(
      (codes) => [...codes].every((code) => /^0x[0-9a-f]{64}$/.test(code)),
      "must be 32-byte hex strings, separated by commas",
    ),
  /**
   * Wallets whose refunds and settlements this service signs and sends itself, with their limits. Keys are in files or
   * with a server that signs; none by default.
   */
  CHAINS_SIGNERS: variable.json(
    z.array(signerEntry).max(100),
    "[]",
    'must be JSON like [{"projectId": "proj_…", "mode": "live", "chainId": 1, "address": "0x…", "keystoreFile": "…", "passphraseFile": "…", "limits": {"native": {"transactionMax": "1", "dayMax": "10"}}}]',
  ),
  /** Pause between two comparisons of the books with each chain. */
  CHAINS_BOOKS_INTERVAL_MS: variable.ms(60_000),
});

export type ChainsConfig = z.infer<typeof chainsConfig>;
