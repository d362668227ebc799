import { databaseConfig } from "@pay/database";
import { variable } from "@pay/process";
import { z } from "zod";

export const refundsConfig = z.object({
  ...databaseConfig("REFUNDS"),
  /** Port of the gRPC server; 0 picks a free one. */
  REFUNDS_GRPC_PORT: variable.port(50_051),
  /** Where the payments service answers, e.g. dns:///payments:50051. */
  PAYMENTS_ADDRESS: z.string().min(1),
  /** How long a refund waits for its transaction before it fails; a week. */
  REFUNDS_TIMEOUT_HOURS: z.coerce.number().int().min(1).max(8_760).default(168),
  /** Pause between two looks for refunds that waited too long. */
  REFUNDS_TIMEOUT_INTERVAL_MS: variable.ms(60_000),
  /** Addresses many people share, e.g. of exchanges, comma separated: no refund goes there unasked. */
  REFUNDS_SHARED_ADDRESSES: variable
    .list()
    .transform((addresses) => new Set(addresses.map((address) => address.toLowerCase()))),
});

export type RefundsConfig = z.infer<typeof refundsConfig>;
