// Whether accounts take native coin with call data. An account gets code and loses it, so the answer is kept for a
// moment only; who cannot be asked in time counts as one that takes none.

import type { ChainsService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import { LRUCache } from "lru-cache";

const KEPT_MAX = 10_000;
const KEPT_MS = 2_000;
const TIMEOUT_MS = 500;

export type TakesData = (chainId: bigint, account: string) => Promise<boolean>;

export function createRecipientChecks(
  chains: Pick<Client<typeof ChainsService>, "checkRecipient">,
): TakesData {
  const known = new LRUCache<string, { takesData: boolean }, { chainId: bigint; account: string }>({
    max: KEPT_MAX,
    ttl: KEPT_MS,
    fetchMethod: async (_key, _stale, { context }) => {
      const { hasCode } = await chains
        .checkRecipient(context, { timeoutMs: TIMEOUT_MS })
        .catch(() => ({ hasCode: undefined }));
      return { takesData: hasCode === false };
    },
  });
  return async (chainId, account) => {
    const context = { chainId, account };
    return (await known.fetch(`${chainId} ${account}`, { context }))?.takesData ?? false;
  };
}
