import { databaseConfig } from "@pay/database";
import { egressConfig } from "@pay/egress";
import { variable } from "@pay/process";
import { parseSealingKeys } from "@pay/sealing";
import { z } from "zod";

export const webhooksConfig = z.object({
  ...databaseConfig("WEBHOOKS"),
  ...egressConfig,
  /** Port of the gRPC server; 0 picks a free one. */
  WEBHOOKS_GRPC_PORT: variable.port(50_054),
  /** Keys that encrypt webhook secrets, `version:base64 of 32 bytes` each; the first one encrypts. */
  WEBHOOKS_SECRET_KEYS: variable.parsed(
    parseSealingKeys,
    "must be a list of version:key, each key the base64 of 32 bytes",
  ),
});

export type WebhooksConfig = z.infer<typeof webhooksConfig>;
