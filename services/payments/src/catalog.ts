// The chains and tokens that payments may use, kept in memory, because a creation must not wait for another service. The
// catalog is read at the start and then every few seconds; while the chains service is unavailable, the last answer
// counts. An answer is whole: it lacks a chain that is configured no longer, or that no provider has ever answered for. A
// repeated empty answer counts as an answer too: a service that waited for more would be restarted for a fault of the
// provider.

import { Failure } from "@pay/failures";
import { every, type Runtime } from "@pay/process";
import type { Chain, ChainsService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import { toAddress } from "@pay/values";
import type { ChainTerms, Terms } from "./domain/new-payment.ts";

const REFRESH_INTERVAL_MS = 5_000;
/** A new installation is not ready before a chain is known or this many answers were empty. */
const EMPTY_ANSWERS_MAX = 4;

export interface Catalog {
  /** Throws service_unavailable until a chain is known, because an unknown chain is no reason for a refusal. */
  terms(): Terms;
}

export function followCatalog(chains: Client<typeof ChainsService>, runtime: Runtime): Catalog {
  let known: Terms = new Map();
  let answers = 0;
  every({
    name: "catalog of chains",
    intervalMs: REFRESH_INTERVAL_MS,
    runtime,
    act: async () => {
      const answer = await chains.listChains({});
      known = new Map(answer.chains.map((chain) => [chain.chainId, toTerms(chain)]));
      if (++answers === 1 && known.size === 0) {
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
    if (known.size === 0 && answers < EMPTY_ANSWERS_MAX) throw new Error("not yet");
  });
  return { terms };
}

function toTerms(chain: Chain): ChainTerms {
  return {
    isTestnet: chain.isTestnet,
    nativeDecimals: chain.nativeDecimals,
    tokenDecimals: new Map(
      chain.tokens.map(({ address, decimals }) => [toAddress(address), decimals]),
    ),
  };
}
