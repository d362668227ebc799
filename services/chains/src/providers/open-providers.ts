import type { Runtime } from "@pay/process";
import type { ChainId } from "@pay/values";
import { createEndpoint } from "./endpoint.ts";
import { createProviders, type Providers } from "./providers.ts";

interface Bounds {
  timeoutMs: number;
  responseBytesMax: number;
}

/** The providers of one chain, until the process stops. */
export function openProviders(
  { chainId, providerUrls }: { chainId: ChainId; providerUrls: readonly string[] },
  bounds: Bounds,
  runtime: Runtime,
): Providers {
  const endpoints = providerUrls.map((url, index) =>
    createEndpoint({ name: `provider ${index + 1} of chain ${chainId}`, url, ...bounds }),
  );
  const { clock, log } = runtime;
  const providers = createProviders({ chainId, endpoints, clock, log });
  runtime.onStop(`providers of chain ${chainId}`, () => providers.close());
  return providers;
}
