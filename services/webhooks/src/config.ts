import { databaseConfig } from "@pay/database";
import { createPolicy } from "@pay/egress";
import { variable } from "@pay/process";
import { z } from "zod";
import { parseSealingKeys } from "./domain/sealing.ts";

const isAllowList = (allowHosts: string[]): boolean => {
  try {
    createPolicy({ allowHosts });
    return true;
  } catch {
    return false;
  }
};

export const webhooksConfig = z.object({
  ...databaseConfig("WEBHOOKS"),
  /** Port of the gRPC server; 0 picks a free one. */
  WEBHOOKS_GRPC_PORT: variable.port(50_054),
  /** Keys that encrypt webhook secrets, `version:base64 of 32 bytes` each; the highest version encrypts. */
  WEBHOOKS_SECRET_KEYS: z.string().transform((text, context) => {
    const keys = parseSealingKeys(text);
    if (keys !== undefined) return keys;
    context.addIssue({
      code: "custom",
      message: "must be a list of version:key, each key the base64 of 32 bytes",
    });
    return z.NEVER;
  }),
  /** Lets webhooks go to plain http, where loopback or an allowed host is the receiver. */
  WEBHOOKS_ALLOW_HTTP: variable.flag(),
  /** Lets webhooks go to this machine. */
  WEBHOOKS_ALLOW_LOOPBACK: variable.flag(),
  /** Host names, addresses and CIDR ranges that may be reached although they are private. */
  WEBHOOKS_ALLOW_HOSTS: variable
    .list()
    .refine(isAllowList, "must be a list of host names, addresses and CIDR ranges"),
  /** Base address of the service itself; webhooks to its host are refused. */
  PUBLIC_URL: z.url().optional(),
});

export type WebhooksConfig = z.infer<typeof webhooksConfig>;
