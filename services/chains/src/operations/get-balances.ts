import type { MessageInitShape } from "@bufbuild/protobuf";
import { Failure } from "@pay/failures";
import type { BatchGetBalancesRequest, BatchGetBalancesResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findBalances } from "../generated/sql.ts";

const HOLDINGS_MAX = 100;

/** Balances as they were read from the chain last, each with its block; those that nobody has read are left out. */
export async function getBalances(
  { pool }: Deps,
  { tenant, holdings }: BatchGetBalancesRequest,
): Promise<MessageInitShape<typeof BatchGetBalancesResponseSchema>> {
  if (holdings.length > HOLDINGS_MAX) {
    throw new Failure("call_malformed", `at most ${HOLDINGS_MAX} holdings are answered`);
  }
  const rows = await findBalances(pool, {
    ...parseTenant(tenant),
    holdings: holdings.map(({ chainId, wallet, currency }) => ({
      chain_id: chainId,
      wallet,
      currency,
    })),
  });
  return {
    balances: rows.map(({ chain_id, wallet, currency, balance, balance_block, unswept }) => ({
      holding: { chainId: chain_id, wallet, currency },
      baseAmount: balance.toString(),
      blockNumber: balance_block,
      unsweptBaseAmount: unswept.toString(),
    })),
  };
}
