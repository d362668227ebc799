import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ListHealthRequest, ListHealthResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { toChainId } from "@pay/values";
import type { Deps } from "../deps.ts";
import { computeSecondsBehind } from "../following/domain/lag.ts";
import { type ReadHealthRow, readHealth } from "../generated/sql.ts";
import { toChain } from "../messages.ts";

const ADDRESSES_MAX = 1_000;

/** What is known of each chain; the providers are those of this process. */
export async function listHealth(
  { pool, clock, catalog, getFinality, getProviders }: Deps,
  { tenant }: ListHealthRequest,
): Promise<MessageInitShape<typeof ListHealthResponseSchema>> {
  const offered = await catalog.list();
  const rows = await readHealth(pool, {
    ...parseTenant(tenant),
    chainIds: offered.map(({ chain }) => chain.chain_id),
    addressesMax: ADDRESSES_MAX,
  });
  const now = clock.now();
  return {
    chains: offered.flatMap((one) => {
      const row = rows.find(({ chain_id }) => chain_id === one.chain.chain_id);
      // It is offered since the second reading.
      if (row === undefined) return [];
      const chainId = toChainId(one.chain.chain_id);
      const finality = getFinality(chainId);
      const providers = getProviders(chainId);
      return {
        chain: toChain({ ...one, cursor: row }),
        ...toPosition(row, now),
        ...(finality && {
          finality: { mode: finality.mode, confirmations: finality.confirmations },
        }),
        providersAnswering: providers?.answering() ?? 0,
        providersConfigured: providers?.configured ?? 0,
        watchedAddresses: row.addresses,
      };
    }),
  };
}

function toPosition(
  { head_number, mined_at, tip_number, tip_seen_at }: ReadHealthRow,
  now: Date,
): { chainHead?: bigint; secondsBehind?: number } {
  if (head_number === null || mined_at === null) return {};
  const isSeen = tip_number !== null && tip_seen_at !== null;
  const followed = {
    number: Number(head_number),
    minedAt: mined_at,
    tip: isSeen ? { number: Number(tip_number), seenAt: tip_seen_at } : undefined,
  };
  return {
    // A provider may name an older one than that which is followed.
    chainHead: isSeen && tip_number > head_number ? tip_number : head_number,
    secondsBehind: computeSecondsBehind(followed, now),
  };
}
