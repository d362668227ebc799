import { useChains, useTokens } from "../api/queries.ts";
import type { Chain } from "../api/records.ts";

/** Each currency of the chains as a choice: `chainId currency`, and its name. */
export function useWays(isWanted: (chain: Chain) => boolean): [value: string, word: string][] {
  const chains = useChains();
  const tokens = useTokens(true);
  return chains
    .filter(isWanted)
    .flatMap(({ chainId, name, symbol }): [string, string][] => [
      ...tokens
        .filter((token) => token.chainId === chainId)
        .map((token): [string, string] => [
          `${chainId} ${token.address}`,
          `${token.symbol} on ${name}`,
        ]),
      [`${chainId} native`, `${symbol} on ${name}`],
    ]);
}
