// Claims on hold for a signature. They are verified again when a wallet signs, and when another payment of the same
// amount is decided, which may end their hold.
import type { Queryable } from "@pay/database";
import { type ChainId, toChainId } from "@pay/values";
import * as sql from "../../generated/sql.ts";
import type { Watch } from "../domain/watch.ts";

/** Returns the chains that have candidates to verify now. */
export async function recheckAmbiguous(
  db: Queryable,
  watches: readonly Watch[],
  now: Date,
): Promise<Set<ChainId>> {
  if (watches.length === 0) return new Set();
  const payments = watches.map((watch) => ({
    chain_id: watch.chainId,
    recipient: watch.recipient,
    currency: watch.currency,
    project_id: watch.projectId,
    mode: watch.mode,
    base_amount: watch.baseAmount,
  }));
  const rows = await sql.recheckOnHold(db, { payments, now });
  return new Set(rows.map((row) => toChainId(row.chain_id)));
}
