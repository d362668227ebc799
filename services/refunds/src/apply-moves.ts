// Writes moves of locked records: the row, its event, and the counter.
import type { PoolClient } from "pg";
import type { Balance } from "./domain/balance.ts";
import * as refunds from "./domain/refund.ts";
import * as settlements from "./domain/settlement.ts";
import { toEvent, toSettlementEvent } from "./messages.ts";
import { refundsTotal, settlementsTotal } from "./metrics.ts";
import { moveRefund } from "./storage/refunds.ts";
import { moveSettlement } from "./storage/settlements.ts";

interface Cause {
  now: Date;
  /** Of the event that caused the move; empty for a timeout. */
  requestId: string;
}

export async function applyRefundMove(
  tx: PoolClient,
  { refund, event }: refunds.MovedRefund,
  { now, requestId }: Cause,
): Promise<void> {
  await moveRefund(tx, refund, toEvent(event, refund, now, requestId));
  refundsTotal.inc({ status: refund.status });
}

export async function applySettlementMove(
  tx: PoolClient,
  { settlement, event }: settlements.MovedSettlement,
  { now, requestId }: Cause,
): Promise<void> {
  const row = toSettlementEvent(event, settlement, now, requestId);
  if (!(await moveSettlement(tx, settlement, row)))
    throw new Error("a settlement moved although it was locked");
  settlementsTotal.inc({ status: settlement.status });
}

/** Undefined where the refund is final already. */
export async function failRefund(
  tx: PoolClient,
  locked: { refund: refunds.Refund; balance: Balance },
  cause: Cause & { reason: string },
): Promise<refunds.MovedRefund | undefined> {
  const failed = refunds.fail(locked.refund, locked.balance, cause.reason);
  if (failed !== undefined) await applyRefundMove(tx, failed, cause);
  return failed;
}

/** Undefined where the settlement is final already. */
export async function failSettlement(
  tx: PoolClient,
  locked: settlements.Settlement,
  cause: Cause & { reason: string },
): Promise<settlements.MovedSettlement | undefined> {
  const failed = settlements.fail(locked, cause.reason);
  if (failed !== undefined) await applySettlementMove(tx, failed, cause);
  return failed;
}
