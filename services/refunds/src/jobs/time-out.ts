import { transaction } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import { fail, isOverdue } from "../domain/refund.ts";
import { refundsTotal } from "../metrics.ts";
import { findOverdue, lockRefunds, moveRefund } from "../storage.ts";
import { toEvent } from "../wire.ts";

const PAGE = 100;
const REASON = "timeout";

/** One page of refunds nobody paid out in time, each in its own short transaction. */
export const timeOutDue = async (deps: Deps, timeoutMs: number): Promise<number> => {
  const createdBefore = new Date(deps.clock.now().getTime() - timeoutMs);
  const ids = await findOverdue(deps.db.pool, createdBefore, PAGE);
  for (const id of ids) {
    await transaction(deps.db.pool, (tx) => timeOutOne(deps, tx, id, createdBefore));
  }
  if (ids.length > 0) deps.relay.wake();
  return ids.length;
};

/** Looks again under lock: a hash that came meanwhile saves the refund. */
const timeOutOne = async ({ clock }: Deps, tx: PoolClient, id: string, createdBefore: Date) => {
  const { refunds, balances } = await lockRefunds(tx, [id]);
  const refund = refunds.get(id);
  if (refund === undefined || !isOverdue(refund, createdBefore)) return;
  const settled = fail(refund, balances.get(refund.payment_id) as Balance, REASON);
  if (settled === undefined) return;
  await moveRefund(tx, settled.refund, toEvent(settled.event, settled.refund, clock.now(), ""));
  refundsTotal.inc({ status: settled.refund.status });
};

export const startTimeOut = (
  deps: Deps,
  runtime: Runtime,
  options: { timeoutMs: number; intervalMs: number },
): void => {
  const job = every({
    name: "time-out of refunds",
    intervalMs: options.intervalMs,
    runtime,
    act: async () => {
      if ((await timeOutDue(deps, options.timeoutMs)) === PAGE) job.wake();
    },
  });
};
