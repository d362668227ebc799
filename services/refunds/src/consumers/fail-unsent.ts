// What the service should have sent itself and does not send: no transaction of it can be mined any more, so the record fails and
// what it holds is free. The chains service alone knows that, so it alone ends a record that it was given to send.
import type { EventType } from "@pay/events";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import { failRefund, failSettlement } from "../apply-moves.ts";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import { lockRefunds, lockSettlements } from "../storage/cross-tenant.ts";

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
      const failed = await failRefund(tx, { refund, balance }, describeCause(deps, one));
      if (failed === undefined) continue;
      locked.refunds.set(one.id, failed.refund);
      locked.balances.set(refund.payment_id, failed.balance);
    } else if (settlement !== undefined) {
      const failed = await failSettlement(tx, settlement, describeCause(deps, one));
      if (failed !== undefined) settled.set(one.id, failed.settlement);
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

function describeCause({ clock }: Deps, { event, reason }: Unsent) {
  return { reason, now: clock.now(), requestId: event.requestId };
}
