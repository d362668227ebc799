import { databaseConfig } from "@pay/database";
import { variable } from "@pay/process";
import { Mode } from "@pay/proto";
import { isAddress, isId, toAddress, toChainId } from "@pay/values";
import { z } from "zod";

const MODES = { live: Mode.LIVE, test: Mode.TEST } as const;

const signedWallet = z
  .strictObject({
    projectId: z.string().refine((text) => isId("proj", text)),
    mode: z.enum(["live", "test"]),
    chainId: z.number().int().min(1),
    address: z.string().refine(isAddress),
  })
  .transform(({ projectId, mode, chainId, address }) => ({
    projectId,
    mode: MODES[mode],
    chainId: toChainId(chainId),
    address: toAddress(address),
  }));

export const refundsConfig = z.object({
  ...databaseConfig("REFUNDS"),
  /** Port of the gRPC server; 0 picks a free one. */
  REFUNDS_GRPC_PORT: variable.port(50_051),
  /** Address of the payments service, e.g. dns:///payments:50051. */
  PAYMENTS_ADDRESS: z.string().min(1),
  /** Address of the chains service, e.g. dns:///chains:50051. */
  CHAINS_ADDRESS: z.string().min(1),
  /** How long a refund or an approved settlement waits for its transaction before it fails; a week. */
  REFUNDS_TIMEOUT_HOURS: z.coerce.number().int().min(1).max(8_760).default(168),
  /** How long an address is in the address book before settlements may go there. */
  SETTLEMENT_DESTINATION_DELAY_HOURS: z.coerce.number().min(0).max(8_760).default(24),
  /** Addresses that many people share, e.g. of exchanges. A refund goes there only by an explicit request. */
  REFUNDS_SHARED_ADDRESSES: variable
    .list()
    .transform((addresses) => new Set(addresses.map(toAddress))),
  /**
   * Wallets whose refunds and settlements the service signs. For each of them chains has a signer with the same
   * project, mode, chain and address.
   */
  REFUNDS_SIGNED_WALLETS: variable.json(
    z.array(signedWallet).max(1_000),
    "[]",
    'must be JSON like [{"projectId": "proj_…", "mode": "live", "chainId": 1, "address": "0x…"}]',
  ),
});

export type RefundsConfig = z.infer<typeof refundsConfig>;
