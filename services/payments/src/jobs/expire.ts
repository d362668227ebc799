import { transaction } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { Deps } from "../deps.ts";
import { passTime } from "../domain/change.ts";
import { recordMove } from "../messages.ts";
import { claimDuePayments } from "../storage/cross-tenant.ts";
import { movePayments } from "../storage/payments.ts";

const PAGE = 500;

/** Claims a page, so that replicas expire different payments at the same time. */
async function expireDue(deps: Deps): Promise<number> {
  const now = deps.clock.now();
  const [found, moved] = await transaction(deps.db.pool, async (tx) => {
    const due = await claimDuePayments(tx, { now, limit: PAGE });
    const moves = due.flatMap((payment) => {
      const ended = passTime(payment, now);
      return ended === undefined ? [] : [recordMove(ended, now, { requestId: "" })];
    });
    await movePayments(tx, moves);
    return [due.length, moves.length];
  });
  if (moved > 0) deps.relay.wake();
  return found;
}

export function startExpiry(deps: Deps, runtime: Runtime, intervalMs: number): void {
  const job = every({
    name: "expiry of payments",
    intervalMs,
    runtime,
    act: async () => {
      if ((await expireDue(deps)) >= PAGE) job.wake();
    },
  });
}
