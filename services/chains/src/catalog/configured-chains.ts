import { ConfigError } from "@pay/process";
import { type Address, type ChainId, toAddress } from "@pay/values";
import type { TokenEntry } from "./chain-policies.ts";
import type { CatalogConfig } from "./config.ts";
import type { FinalityPolicy } from "./domain/finality.ts";
import { type ChainEntry, KNOWN_CHAINS } from "./known-chains.ts";

/** A chain this deployment works with. */
export interface ConfiguredChain extends ChainEntry {
  /** Secret. */
  providerUrls: readonly string[];
}

/** The chains that have a provider; everything else that is configured must belong to one of them. */
export function configuredChains(config: CatalogConfig): ConfiguredChain[] {
  const local = localChain(config);
  const known = new Map(KNOWN_CHAINS.map((entry) => [entry.chainId, entry]));
  const providers = new Map(config.CHAINS_PROVIDERS);
  const faults: string[] = [];
  if (local !== undefined) {
    if (known.has(local.chainId)) {
      faults.push("CHAINS_LOCAL has the id of a public chain");
    }
    known.set(local.chainId, local);
    providers.set(local.chainId, [local.rpcUrl, ...(providers.get(local.chainId) ?? [])]);
  }
  for (const id of providers.keys()) {
    if (!known.has(id)) faults.push(`CHAINS_PROVIDERS names chain ${id}, which is not known`);
  }
  for (const name of ["CHAINS_TOKENS", "CHAINS_FINALITY"] as const) {
    for (const id of config[name].keys()) {
      if (!known.has(id)) faults.push(`${name} names chain ${id}, which is not known`);
    }
  }
  faults.push(...openAddresses(config));
  if (faults.length > 0) throw new ConfigError(faults);

  return [...providers].flatMap(([id, addresses]) => {
    const entry = known.get(id);
    if (entry === undefined) return [];
    // The same address twice is one provider, and agrees with itself.
    const providerUrls = [...new Set(addresses)];
    const finality = config.CHAINS_FINALITY.get(id) ?? entry.finality;
    const tokens = mergeTokens(entry.tokens, config.CHAINS_TOKENS.get(id) ?? []);
    return { ...entry, finality, tokens, providerUrls };
  });
}

/** Without TLS, a party between this machine and a provider can confirm payments. */
function openAddresses(config: CatalogConfig): string[] {
  if (config.CHAINS_ALLOW_HTTP_PROVIDERS) return [];
  const local = config.CHAINS_LOCAL?.rpcUrl;
  return [
    ...[...config.CHAINS_PROVIDERS].flatMap(([id, addresses]) =>
      addresses.some(isUnprotected) ? `CHAINS_PROVIDERS has an http address for chain ${id}` : [],
    ),
    ...(local !== undefined && isUnprotected(local) ? ["CHAINS_LOCAL has an http address"] : []),
  ].map((fault) => `${fault} beyond this machine: use https, or CHAINS_ALLOW_HTTP_PROVIDERS=1`);
}

const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])$/;

/** Plain http to another machine, whose traffic a party in between can read and change. */
export function isUnprotected(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol !== "https:" && !LOOPBACK.test(hostname);
}

/** One entry per contract; the operator's wins over a well-known one. */
function mergeTokens(
  known: readonly TokenEntry[],
  own: readonly TokenEntry[],
): readonly TokenEntry[] {
  return [
    ...new Map([...known, ...own].map((entry) => [toAddress(entry.address), entry])).values(),
  ];
}

/** Tokens that keep a part of each transfer, by chain. */
export function parseFeeTokens(
  chains: readonly ConfiguredChain[],
): ReadonlyMap<ChainId, ReadonlySet<Address>> {
  return new Map(
    chains.map(({ chainId, tokens }) => [
      chainId,
      new Set(tokens.flatMap((token) => (token.feeOnTransfer ? [toAddress(token.address)] : []))),
    ]),
  );
}

// Its blocks come from one node, and no other node competes with it, so the first one is final.
const LOCAL_FINALITY: FinalityPolicy = { mode: "confirmations", confirmations: 1 };

function localChain({ CHAINS_LOCAL: local }: CatalogConfig): ChainEntry | undefined {
  return (
    local && {
      ...local,
      name: "Local chain",
      symbol: "ETH",
      nativeDecimals: 18,
      blockExplorerUrl: null,
      isTestnet: true,
      blockTimeMs: 1_000,
      finality: LOCAL_FINALITY,
    }
  );
}
