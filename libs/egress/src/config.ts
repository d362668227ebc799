// The settings of requests to addresses that merchants chose.
import { variable } from "@pay/process";
import { z } from "zod";
import type { EgressOptions } from "./client.ts";
import { isPolicy } from "./policy.ts";
import { parseProxy } from "./tunnel.ts";

export const egressConfig = {
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
  /** CONNECT proxy for all of them, http://user:password@host:port. */
  WEBHOOKS_PROXY_URL: variable.parsed(parseProxy, "must be http://host:port").optional(),
  /** Base address of the product; its host is not called. */
  PUBLIC_URL: z.url().optional(),
};

type EgressConfig = z.infer<z.ZodObject<typeof egressConfig>>;

export function toEgressOptions(config: EgressConfig): EgressOptions {
  return {
    proxy: config.WEBHOOKS_PROXY_URL,
    denyRanges: config.WEBHOOKS_DENY_RANGES,
    allowHttp: config.WEBHOOKS_ALLOW_HTTP,
    allowHosts: config.WEBHOOKS_ALLOW_HOSTS,
    ownHosts: config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).hostname],
  };
}
