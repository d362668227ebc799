import { databaseConfig } from "@pay/database";
import { variable } from "@pay/process";
import { z } from "zod";
import { parseSecretKeys } from "./domain/client-secret.ts";

export const paymentsConfig = z.object({
  ...databaseConfig("PAYMENTS"),
  /** Port of the gRPC server; 0 picks a free one. */
  PAYMENTS_GRPC_PORT: variable.port(50_051),
  /** Address of the chains service, e.g. dns:///chains:50051. */
  CHAINS_ADDRESS: z.string().min(1),
  /** Keys of the client secrets, `version:key` each, at least 32 characters; the first one signs. */
  PAYMENTS_CLIENT_SECRET_KEYS: variable.parsed(
    parseSecretKeys,
    "must be a list of version:key, each key 32 characters or more",
  ),
});

export type PaymentsConfig = z.infer<typeof paymentsConfig>;
