// Fails refunds and settlements without a transaction in time, each in a short transaction of its own.
import { transaction } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { PoolClient } from "pg";
import { failRefund, failSettlement } from "../apply-moves.ts";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import { isOverdue as isRefundOverdue } from "../domain/refund.ts";
import { isOverdue as isSettlementOverdue } from "../domain/settlement.ts";
import {
  findOverdue,
  lockRefunds,
  lockSettlements,
  type RecordName,
} from "../storage/cross-tenant.ts";
import type { Records } from "../storage/list-records.ts";

const PAGE = 100;
const TIMED_OUT = { reason: "timeout", requestId: "" };

/** Reads the record again under lock: with a hash in the meantime it does not fail. */
type Fail = (deps: Deps, tx: PoolClient, name: RecordName, before: Date) => Promise<void>;

const FAIL: Record<keyof Records, Fail> = {
  refunds: async ({ clock }, tx, name, before) => {
    const locked = await lockRefunds(tx, [name]);
    const refund = locked.refunds.get(name.resourceId);
    if (refund === undefined || !isRefundOverdue(refund, before)) return;
    const balance = locked.balances.get(refund.payment_id) as Balance;
    await failRefund(tx, { refund, balance }, { ...TIMED_OUT, now: clock.now() });
  },
  settlements: async ({ clock }, tx, name, before) => {
    const settlement = (await lockSettlements(tx, [name])).get(name.resourceId);
    if (settlement === undefined || !isSettlementOverdue(settlement, before)) return;
    await failSettlement(tx, settlement, { ...TIMED_OUT, now: clock.now() });
  },
};

/** Handles one page of a table; returns whether there may be more. */
async function failOverdue(deps: Deps, table: keyof Records, before: Date): Promise<boolean> {
  const names = await findOverdue(deps.db.pool, table, { before, rowsMax: PAGE });
  for (const name of names) {
    await transaction(deps.db.pool, (tx) => FAIL[table](deps, tx, name, before));
  }
  if (names.length > 0) deps.relay.wake();
  return names.length === PAGE;
}

export function startFailOverdue(
  deps: Deps,
  runtime: Runtime,
  options: { timeoutMs: number; intervalMs: number },
): void {
  const job = every({
    name: "timeout of refunds and settlements",
    intervalMs: options.intervalMs,
    runtime,
    act: async () => {
      const before = new Date(deps.clock.now().getTime() - options.timeoutMs);
      for (const table of ["refunds", "settlements"] as const) {
        if (await failOverdue(deps, table, before)) job.wake();
      }
    },
  });
}
