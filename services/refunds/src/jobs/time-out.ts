// Refunds and settlements whose transaction was not submitted in time. Each fails in its own short transaction.
import { transaction } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { Pool, PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import * as refunds from "../domain/refund.ts";
import * as settlements from "../domain/settlement.ts";
import { toEvent, toSettlementEvent } from "../messages.ts";
import { refundsTotal, settlementsTotal } from "../metrics.ts";
import {
  findOverdue,
  findOverdueSettlements,
  lockRefunds,
  lockSettlements,
} from "../storage/internal.ts";
import { moveRefund } from "../storage/refunds.ts";
import { moveSettlement } from "../storage/settlements.ts";

const PAGE = 100;
const REASON = "timeout";

interface Kind {
  find(pool: Pool, before: Date, most: number): Promise<string[]>;
  /** Reads the record again under lock: one that has a hash meanwhile does not fail. */
  timeOut(deps: Deps, tx: PoolClient, id: string, before: Date): Promise<void>;
}

const REFUNDS: Kind = {
  find: findOverdue,
  timeOut: async ({ clock }, tx, id, before) => {
    const locked = await lockRefunds(tx, [id]);
    const refund = locked.refunds.get(id);
    if (refund === undefined || !refunds.isOverdue(refund, before)) return;
    const balance = locked.balances.get(refund.payment_id) as Balance;
    const settled = refunds.fail(refund, balance, REASON);
    if (settled === undefined) return;
    await moveRefund(tx, settled.refund, toEvent(settled.event, settled.refund, clock.now(), ""));
    refundsTotal.inc({ status: settled.refund.status });
  },
};

const SETTLEMENTS: Kind = {
  find: findOverdueSettlements,
  timeOut: async ({ clock }, tx, id, before) => {
    const settlement = (await lockSettlements(tx, [id])).get(id);
    if (settlement === undefined || !settlements.isOverdue(settlement, before)) return;
    const moved = settlements.fail(settlement, REASON);
    if (moved === undefined) return;
    const { event: type, settlement: after } = moved;
    const event = toSettlementEvent(type, after, { now: clock.now(), requestId: "" });
    if (await moveSettlement(tx, { trigger: "fail", after, event }))
      settlementsTotal.inc({ status: after.status });
  },
};

/** One page of each kind; answers whether there may be more. */
async function timeOutDue(deps: Deps, kind: Kind, before: Date): Promise<boolean> {
  const ids = await kind.find(deps.db.pool, before, PAGE);
  for (const id of ids) {
    await transaction(deps.db.pool, (tx) => kind.timeOut(deps, tx, id, before));
  }
  if (ids.length > 0) deps.relay.wake();
  return ids.length === PAGE;
}

export function startTimeOut(
  deps: Deps,
  runtime: Runtime,
  options: { timeoutMs: number; intervalMs: number },
): void {
  const job = every({
    name: "time-out of refunds and settlements",
    intervalMs: options.intervalMs,
    runtime,
    act: async () => {
      const before = new Date(deps.clock.now().getTime() - options.timeoutMs);
      for (const kind of [REFUNDS, SETTLEMENTS]) {
        if (await timeOutDue(deps, kind, before)) job.wake();
      }
    },
  });
}
