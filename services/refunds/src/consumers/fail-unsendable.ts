// Fails records whose transaction the service will not send: none of its transactions can be mined any more. Only
// chains knows that, so only chains ends a record that the service signs.
import type { EventType } from "@pay/events";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import { failRefund, failSettlement } from "../apply-moves.ts";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import { lockRefunds, lockSettlements, type RecordName } from "../storage/cross-tenant.ts";

export const UNSENDABLE: EventType = "transfer.unsent";

interface Unsendable extends RecordName {
  event: Event;
  reason: string;
}

export async function failUnsendable(deps: Deps, events: Event[], tx: PoolClient): Promise<void> {
  const unsendable = events.flatMap((event): Unsendable[] => {
    if (event.type !== UNSENDABLE || event.resource.case !== "observation") return [];
    const { subjectId: resourceId, reason } = event.resource.value;
    return [{ event, resourceId, projectId: event.projectId, reason }];
  });
  if (unsendable.length === 0) return;
  const { refunds, balances } = await lockRefunds(tx, unsendable);
  const settlements = await lockSettlements(tx, unsendable);
  for (const transfer of unsendable) {
    const { resourceId } = transfer;
    const refund = refunds.get(resourceId);
    const settlement = settlements.get(resourceId);
    if (!isMatching(deps, refund ?? settlement, transfer)) continue;
    if (refund !== undefined) {
      const balance = balances.get(refund.payment_id) as Balance;
      const failed = await failRefund(tx, { refund, balance }, toCause(deps, transfer));
      if (failed === undefined) continue;
      refunds.set(resourceId, failed.refund);
      balances.set(refund.payment_id, failed.balance);
    } else if (settlement !== undefined) {
      const failed = await failSettlement(tx, settlement, toCause(deps, transfer));
      if (failed !== undefined) settlements.set(resourceId, failed.settlement);
    }
  }
}

interface SignedRecord {
  mode: number;
  service_signed: boolean;
}

/** Only a record that the service signs may end like this. */
function isMatching(
  { log }: Deps,
  record: SignedRecord | undefined,
  { event, resourceId }: Unsendable,
): boolean {
  if (record?.service_signed && event.mode === record.mode) return true;
  log.error(
    { resourceId, eventId: event.id },
    "an event about an unsendable transfer does not match its record",
  );
  return false;
}

function toCause({ clock }: Deps, { event, reason }: Unsendable) {
  return { reason, now: clock.now(), requestId: event.requestId };
}
