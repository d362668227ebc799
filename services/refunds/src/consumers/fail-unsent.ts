// What the service should have sent itself and does not send: no transaction of it can be mined any more, so the record fails and
// what it holds is free. The chains service alone knows that, so it alone ends a record that it was given to send.
import type { EventType } from "@pay/events";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import * as refunds from "../domain/refund.ts";
import * as settlements from "../domain/settlement.ts";
import { toEvent, toSettlementEvent } from "../messages.ts";
import { refundsTotal, settlementsTotal } from "../metrics.ts";
import { lockRefunds, lockSettlements } from "../storage/internal.ts";
import { moveRefund } from "../storage/refunds.ts";
import { moveSettlement } from "../storage/settlements.ts";

export const UNSENT: EventType = "transfer.unsent";

interface Unsent {
  event: Event;
  id: string;
  projectId: string;
  reason: string;
}

export async function failUnsent(deps: Deps, events: Event[], tx: PoolClient): Promise<void> {
  const unsent = events.flatMap((event): Unsent[] => {
    if (event.type !== UNSENT || event.resource.case !== "observation") return [];
    const { subjectId, reason } = event.resource.value;
    return [{ event, id: subjectId, projectId: event.projectId, reason }];
  });
  if (unsent.length === 0) return;
  const locked = await lockRefunds(tx, unsent);
  const settled = await lockSettlements(tx, unsent);
  for (const one of unsent) {
    const refund = locked.refunds.get(one.id);
    const settlement = settled.get(one.id);
    if (!isAbout(deps, refund ?? settlement, one)) continue;
    if (refund !== undefined) {
      const balance = locked.balances.get(refund.payment_id) as Balance;
      const after = await failRefund(deps, tx, one, { refund, balance });
      if (after === undefined) continue;
      locked.refunds.set(one.id, after.refund);
      locked.balances.set(refund.payment_id, after.balance);
    } else if (settlement !== undefined) {
      const after = await failSettlement(deps, tx, one, settlement);
      if (after !== undefined) settled.set(one.id, after);
    }
  }
}

interface Sent {
  mode: number;
  service_signed: boolean;
}

/** Only what the service sends itself may end like this; the project has no other record of that id. */
function isAbout({ log }: Deps, record: Sent | undefined, { event, id }: Unsent): boolean {
  if (record?.service_signed && event.mode === record.mode) return true;
  log.error(
    { subjectId: id, eventId: event.id },
    "an event about an unsent record does not fit it",
  );
  return false;
}

async function failRefund(
  { clock }: Deps,
  tx: PoolClient,
  { event, reason }: Unsent,
  { refund, balance }: { refund: refunds.Refund; balance: Balance },
): Promise<refunds.Settled | undefined> {
  const failed = refunds.fail(refund, balance, reason);
  if (failed === undefined) return undefined;
  const row = toEvent(failed.event, failed.refund, clock.now(), event.requestId);
  await moveRefund(tx, failed.refund, row);
  refundsTotal.inc({ status: failed.refund.status });
  return failed;
}

async function failSettlement(
  { clock }: Deps,
  tx: PoolClient,
  { event, reason }: Unsent,
  settlement: settlements.Settlement,
): Promise<settlements.Settlement | undefined> {
  const failed = settlements.fail(settlement, reason);
  if (failed === undefined) return undefined;
  const { settlement: after } = failed;
  const now = clock.now();
  const row = toSettlementEvent(failed.event, after, now, event.requestId);
  if (!(await moveSettlement(tx, after, row)))
    throw new Error("a settlement moved although it was locked");
  settlementsTotal.inc({ status: after.status });
  return after;
}
