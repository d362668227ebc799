// The chains and tokens that payments may use, kept in memory, because a creation must not wait for another service.
// While the chains service is unavailable, the last response counts.

import { Failure } from "@pay/failures";
import { every, type Runtime } from "@pay/process";
import type { Chain, ChainsService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import { toAddress } from "@pay/values";
import type { ChainTerms, Terms } from "./domain/new-payment.ts";

const REFRESH_INTERVAL_MS = 5_000;
/** Afterwards the service is ready without a chain, or it would be restarted for a fault of the provider. */
const EMPTY_RESPONSES_MAX = 4;

export interface Catalog {
  /** Throws service_unavailable until the first chain is read, because no request may be rejected for it. */
  terms(): Terms;
}

export function followCatalog(chains: Client<typeof ChainsService>, runtime: Runtime): Catalog {
  let known: Terms = new Map();
  let responses = 0;
  every({
    name: "catalog of chains",
    intervalMs: REFRESH_INTERVAL_MS,
    runtime,
    act: async () => {
      const response = await chains.listChains({});
      known = new Map(response.chains.map((chain) => [chain.chainId, toTerms(chain)]));
      if (++responses === 1 && known.size === 0) {
        runtime.log.warn(
          "no payment can be created: the chains service offers no chain, its log says why",
        );
      }
    },
  });
  function terms(): Terms {
    if (known.size > 0) return known;
    throw new Failure("service_unavailable", "The service is not available");
  }

  runtime.readyWhen("catalog of chains", () => {
    if (known.size === 0 && responses < EMPTY_RESPONSES_MAX) throw new Error("not yet");
  });
  return { terms };
}

function toTerms(chain: Chain): ChainTerms {
  return {
    isTestnet: chain.isTestnet,
    nativeDecimals: chain.nativeDecimals,
    hasDepositAddresses: chain.hasDepositAddresses,
    tokenDecimals: new Map(
      chain.tokens.map(({ address, decimals }) => [toAddress(address), decimals]),
    ),
  };
}
