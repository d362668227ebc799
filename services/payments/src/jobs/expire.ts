import { every, type Runtime } from "@pay/process";
import type { Deps } from "../deps.ts";
import { move, TRANSITIONS } from "../domain/payment.ts";
import { findDue, movePayments } from "../storage.ts";
import { toEvent } from "../wire.ts";

const PAGE = 500;
/** A transfer mined in time may be seen late; after this long past expiresAt its hash counts as never found. */
const LOST_AFTER_MS = 60 * 60_000;

/** One page of payments whose time is over. Racing sweepers and shoppers are settled by the guard. */
export const expireDue = async (deps: Deps): Promise<number> => {
  const now = deps.clock.now();
  const due = await findDue(deps.db.pool, now, new Date(now.getTime() - LOST_AFTER_MS), PAGE);
  const moves = due.flatMap((payment) => {
    const change = payment.tx_hash === null ? {} : { failure_code: "not_found" };
    const expired = move(payment, "expire", change);
    if (expired === undefined) return [];
    return [{ payment: expired, event: toEvent(TRANSITIONS.expire.event, expired, now, "") }];
  });
  await movePayments(deps.db.pool, moves);
  if (moves.length > 0) deps.relay.wake();
  return due.length;
};

export const startExpiry = (deps: Deps, runtime: Runtime, intervalMs: number): void => {
  const job = every({
    name: "expiry of payments",
    intervalMs,
    runtime,
    act: async () => {
      if ((await expireDue(deps)) >= PAGE) job.wake();
    },
  });
};
