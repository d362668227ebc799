// Applies the verdicts of the chain to refunds. A verdict may come twice or late; the table of moves decides whether it
// still changes the refund. A proof that changes nothing is reported: money left the wallet and no refund has it.
import type { EventType, ObservedTransfer } from "@pay/events";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import { applyRefundMove } from "../apply-moves.ts";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import {
  complete,
  type MovedRefund,
  type Refund,
  rejectHash,
  reorg,
  TRANSITIONS,
} from "../domain/refund.ts";
import { toEvent } from "../messages.ts";
import { lockRefunds } from "../storage/cross-tenant.ts";
import { changeRefundHashes } from "../storage/refunds.ts";
import { isMatching, reportSums, reportUnknown, toVerdicts, type Verdict } from "./verdicts.ts";

type ApplyVerdict = (
  refund: Refund,
  balance: Balance,
  seen: ObservedTransfer,
  now: Date,
) => MovedRefund | undefined;

const ON_VERDICT: Readonly<Record<string, ApplyVerdict>> = {
  "transfer.confirmed": (refund, balance, { txHash, blockNumber, sender }, now) =>
    complete(refund, balance, { txHash, blockNumber, sender, now }),
  "transfer.rejected": (refund, balance, { submittedTxHash, reason, received }) =>
    rejectHash(refund, balance, { hash: submittedTxHash, reason, received }),
  "transfer.unseen": (refund, balance, { submittedTxHash, txHash }) =>
    reorg(refund, balance, { submittedTxHash, txHash }),
} satisfies Partial<Record<EventType, ApplyVerdict>>;

export async function settleRefunds(deps: Deps, events: Event[], tx: PoolClient): Promise<void> {
  const verdicts = toVerdicts(events);
  if (verdicts.length === 0) return;
  const { refunds, balances } = await lockRefunds(tx, verdicts);
  for (const verdict of verdicts) {
    const refund = refunds.get(verdict.resourceId);
    if (refund === undefined) reportUnknown(deps, "refund", verdict);
    if (refund === undefined || !isMatching(deps, refund, verdict)) continue;
    const balance = balances.get(refund.payment_id) as Balance;
    const moved = await settle(deps, tx, verdict, { refund, balance });
    if (moved === undefined) continue;
    refunds.set(refund.id, moved.refund);
    balances.set(refund.payment_id, moved.balance);
  }
}

async function settle(
  deps: Deps,
  tx: PoolClient,
  verdict: Verdict,
  { refund, balance }: { refund: Refund; balance: Balance },
): Promise<MovedRefund | undefined> {
  const { event, seen } = verdict;
  const now = deps.clock.now();
  const moved = ON_VERDICT[event.type]?.(refund, balance, seen, now);
  reportSums(deps, { resourceType: "refund", before: refund, after: moved?.refund, verdict });
  if (moved === undefined) return undefined;
  if (moved.event === TRANSITIONS.rejectHash.event) {
    const { from } = TRANSITIONS.rejectHash;
    const row = toEvent(moved.event, moved.refund, now, event.requestId);
    if (!(await changeRefundHashes(tx, refund, moved.refund, { from, event: row })))
      throw new Error("a refund moved although it was locked");
    return moved;
  }
  await applyRefundMove(tx, moved, { now, requestId: event.requestId });
  return moved;
}
