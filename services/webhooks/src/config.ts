import { databaseConfig } from "@pay/database";
import { isPolicy, parseProxy } from "@pay/egress";
import { variable } from "@pay/process";
import { parseSealingKeys } from "@pay/sealing";
import { z } from "zod";

export const webhooksConfig = z.object({
  ...databaseConfig("WEBHOOKS"),
  /** Port of the gRPC server; 0 picks a free one. */
  WEBHOOKS_GRPC_PORT: variable.port(50_054),
  /** Keys that encrypt webhook secrets, `version:base64 of 32 bytes` each; the first one encrypts. */
  WEBHOOKS_SECRET_KEYS: variable.parsed(
    parseSealingKeys,
    "must be a list of version:key, each key the base64 of 32 bytes",
  ),
  /** Allows plain http to allowed hosts. */
  WEBHOOKS_ALLOW_HTTP: variable.flag(),
  /** Names, addresses and CIDR ranges that may be called although they are private; localhost is this machine. */
  WEBHOOKS_ALLOW_HOSTS: variable
    .list()
    .refine(
      (allowHosts) => isPolicy({ allowHosts }),
      "must be a list of host names, addresses and CIDR ranges",
    ),
  /** Addresses and CIDR ranges that are never called, e.g. the public addresses of this service. */
  WEBHOOKS_DENY_RANGES: variable
    .list()
    .refine(
      (denyRanges) => isPolicy({ denyRanges }),
      "must be a list of addresses and CIDR ranges",
    ),
  /** CONNECT proxy for all webhooks, http://user:password@host:port. */
  WEBHOOKS_PROXY_URL: variable.parsed(parseProxy, "must be http://host:port").optional(),
  /** Base address of the product; webhooks to its host are rejected. */
  PUBLIC_URL: z.url().optional(),
});

export type WebhooksConfig = z.infer<typeof webhooksConfig>;
