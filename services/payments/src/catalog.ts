// What can be paid in, kept in memory: a creation must not wait for another service. Read at the start, then on a
// slow beat; while the chains service is away the last answer stays in force.
import { every, type Runtime } from "@pay/process";
import type { ChainsService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import type { Terms } from "./domain/new-payment.ts";

const REFRESH_INTERVAL_MS = 5_000;

export interface Catalog {
  terms(): Terms;
}

export const followCatalog = (chains: Client<typeof ChainsService>, runtime: Runtime): Catalog => {
  let terms: Terms = new Map();
  every({
    name: "catalogue of chains",
    intervalMs: REFRESH_INTERVAL_MS,
    runtime,
    act: async () => {
      const answer = await chains.listChains({});
      terms = new Map(
        answer.chains.map((chain) => [
          chain.chainId,
          {
            isTestnet: chain.isTestnet,
            nativeDecimals: chain.nativeDecimals,
            tokenDecimals: new Map(
              chain.tokens.map(({ address, decimals }) => [address.toLowerCase(), decimals]),
            ),
          },
        ]),
      );
    },
  });
  runtime.readyWhen("catalogue of chains", () => {
    if (terms.size === 0) throw new Error("no chains are known yet");
  });
  return { terms: () => terms };
};
