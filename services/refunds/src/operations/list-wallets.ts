import type { MessageInitShape } from "@bufbuild/protobuf";
import { Failure } from "@pay/failures";
import type { ListWalletsRequest, ListWalletsResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { computeAvailable } from "../domain/wallet.ts";
import { listWallets as list, type WalletPlace } from "../storage/wallets.ts";

const LIMIT_MAX = 100;
const PLACE = /^(\d{1,18})_(native|0x[0-9a-f]{40})_(0x[0-9a-f]{40})$/;

/** A page of the sums of wallets, without a look at any payment. */
export async function listWallets(
  { db }: Deps,
  { tenant, limit, after }: ListWalletsRequest,
): Promise<MessageInitShape<typeof ListWalletsResponseSchema>> {
  if (limit < 1 || limit > LIMIT_MAX) {
    throw new Failure("call_malformed", `a limit from 1 to ${LIMIT_MAX} is needed`);
  }
  const rows = await list(db.pool, parseTenant(tenant), {
    after: after === "" ? undefined : toPlace(after),
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    wallets: page.map((wallet) => {
      const available = computeAvailable(wallet);
      return {
        chainId: wallet.chain_id,
        currency: wallet.currency,
        address: wallet.source_address,
        decimals: wallet.decimals,
        availableBaseAmount: (available < 0n ? 0n : available).toString(),
      };
    }),
    nextAfter: last === undefined ? "" : `${last.chain_id}_${last.currency}_${last.source_address}`,
  };
}

function toPlace(text: string): WalletPlace {
  const [, chainId, currency, address] = PLACE.exec(text) ?? [];
  if (chainId === undefined || currency === undefined || address === undefined) {
    throw new Failure("cursor_unknown", "after must be the end of a page");
  }
  return { chainId: BigInt(chainId), currency, address };
}
