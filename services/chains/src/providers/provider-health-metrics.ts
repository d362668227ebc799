// Metrics of each provider, collected on each scrape. A provider has the same name as in the log.
import type { ChainId } from "@pay/values";
import { Gauge } from "prom-client";
import type { Provider } from "./provider.ts";

interface Observed {
  chainId: ChainId;
  providers: readonly Provider[];
}

const observed = new Set<Observed>();

/** Until the answer is called. */
export function observe(one: Observed): () => void {
  observed.add(one);
  return () => observed.delete(one);
}

const labelNames = ["chain", "provider"] as const;

function collectInto(gauge: Gauge<"chain" | "provider">, tell: (one: Provider) => unknown) {
  gauge.reset();
  for (const { chainId, providers } of observed) {
    for (const one of providers) {
      const value = tell(one);
      if (value === undefined) continue;
      gauge.set({ chain: chainId, provider: one.reader.name }, Number(value));
    }
  }
}

new Gauge({
  name: "chain_provider_failing",
  help: "1 while a provider is passed over: its last answer was a fault, or it has not named its chain",
  labelNames,
  collect() {
    collectInto(this, (one) => one.isResting() || !one.isProven());
  },
});

new Gauge({
  name: "chain_provider_behind_blocks",
  help: "How many blocks lower a provider's head was, when it was last asked, than the highest of all",
  labelNames,
  collect() {
    collectInto(this, (one) => one.behind());
  },
});
