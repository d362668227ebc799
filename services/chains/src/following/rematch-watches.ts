// Matches payments with stored transfers again. The leader does it between two steps, so that no step with an older
// state of the payment stores a transfer later.
import type { Watch } from "../attribution/domain/watch.ts";
import { listUnused } from "../attribution/storage/unused-transfers.ts";
import type { ChainLease } from "./chain-lease.ts";
import { matchTransfers, NOTHING } from "./find-payments.ts";
import type { Session } from "./session.ts";

/** False where another process leads by now. */
export async function rematchWatches(
  session: Session,
  lease: ChainLease,
  watches: readonly Watch[],
): Promise<boolean> {
  const { pool, clock } = session;
  const { chainId } = session.chain;
  const { head } = lease.cursor;
  if (watches.length === 0) return true;
  if (head === undefined) return false;
  for await (const transfers of listUnused(pool, chainId, watches)) {
    const found = await matchTransfers(transfers, { pool, chainId, now: clock.now() });
    if (found.length === 0) continue;
    if (!(await session.write(lease, { head, ...NOTHING, found }))) return false;
  }
  return true;
}
