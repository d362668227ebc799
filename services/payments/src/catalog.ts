// What can be paid in, kept in memory: a creation must not wait for another service. Read at the start, then on a
// slow beat; while the chains service is away the last answer stays in force. A chain once known stays known: it is
// missing from an answer when the chains service has just started and its provider has not spoken yet. That nothing can
// be paid in is an answer too, once it was repeated: who waited for ever would be restarted for a provider's fault.
import { every, type Runtime } from "@pay/process";
import type { Chain, ChainsService } from "@pay/proto";
import { type Client, Failure } from "@pay/rpc";
import type { ChainTerms, Terms } from "./domain/new-payment.ts";

const REFRESH_INTERVAL_MS = 5_000;
/** A fresh installation's providers get this many answers' time; until then we are not ready. */
const EMPTY_ANSWERS_MAX = 4;

export interface Catalog {
  /** Unavailable until a chain is known: not knowing one is not refusing it. */
  terms(): Terms;
}

export const followCatalog = (chains: Client<typeof ChainsService>, runtime: Runtime): Catalog => {
  let known: Terms = new Map();
  let answers = 0;
  every({
    name: "catalogue of chains",
    intervalMs: REFRESH_INTERVAL_MS,
    runtime,
    act: async () => {
      const answer = await chains.listChains({});
      const told = answer.chains.map((chain) => [chain.chainId, termsOf(chain)] as const);
      known = new Map([...known, ...told]);
      if (++answers === 1 && known.size === 0) {
        runtime.log.warn(
          "no payment can be created: the chains service offers no chain, its log says why",
        );
      }
    },
  });
  const terms = (): Terms => {
    if (known.size > 0) return known;
    throw new Failure("unavailable", "The service is not available");
  };
  runtime.readyWhen("catalogue of chains", () => {
    if (known.size === 0 && answers < EMPTY_ANSWERS_MAX) throw new Error("not yet");
  });
  return { terms };
};

const termsOf = (chain: Chain): ChainTerms => ({
  isTestnet: chain.isTestnet,
  nativeDecimals: chain.nativeDecimals,
  tokenDecimals: new Map(
    chain.tokens.map(({ address, decimals }) => [address.toLowerCase(), decimals]),
  ),
});
