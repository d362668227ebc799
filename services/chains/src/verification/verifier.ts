// The input of a verification.
import type { Clock } from "@pay/process";
import type { Address } from "@pay/values";
import type { ConfiguredChain } from "../catalog/configured-chains.ts";
import type { Providers } from "../providers/providers.ts";
import type { Reader } from "../providers/reader.ts";
import type { ChainHeadCache } from "./chain-head-cache.ts";

export interface Verifier {
  chain: ConfiguredChain;
  providers: Providers;
  getHeadCache(reader: Reader): ChainHeadCache;
  /** Decimals of the listed tokens by address. */
  tokens(): ReadonlyMap<Address, number>;
  clock: Clock;
}
