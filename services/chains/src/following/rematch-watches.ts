// Payments for which what came before is looked through again, among the transfers that are stored. The leader does it
// between two steps: none is under way that read a payment as it was and stores a transfer later.
import type { Watch } from "../attribution/domain/watch.ts";
import { listUnused } from "../attribution/storage/unused-transfers.ts";
import type { Leadership } from "./chain-lease.ts";
import { foundAmong, NOTHING } from "./find.ts";
import type { Session } from "./session.ts";

/** False where another process leads by now. */
export async function lookAgain(
  session: Session,
  lead: Leadership,
  watches: readonly Watch[],
): Promise<boolean> {
  const { pool, clock } = session;
  const { chainId } = session.chain;
  const { head } = lead.cursor;
  if (watches.length === 0) return true;
  if (head === undefined) return false;
  for await (const transfers of listUnused(pool, chainId, watches)) {
    const found = await foundAmong(transfers, { pool, chainId, now: clock.now() });
    if (found.length === 0) continue;
    if (!(await session.write(lead, { head, ...NOTHING, found }))) return false;
  }
  return true;
}
