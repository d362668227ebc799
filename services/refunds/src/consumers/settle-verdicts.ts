// The chain's verdicts on refund transactions. A verdict may come twice or late; the table of moves decides whether
// it still changes the refund. A proof that changes nothing is reported to the operator: money left the merchant's wallet
// and no refund has it.
import type { EventType, ObservedTransfer } from "@pay/events";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import { applyRefundMove } from "../apply-moves.ts";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import { complete, type Refund, refute, type Settled, TRANSITIONS } from "../domain/refund.ts";
import { toEvent } from "../messages.ts";
import { lockRefunds } from "../storage/cross-tenant.ts";
import { changeRefundHashes } from "../storage/refunds.ts";
import { fits, reportSums, reportUnknown, toVerdicts, type Verdict } from "./verdicts.ts";

type Judge = (
  refund: Refund,
  balance: Balance,
  seen: ObservedTransfer,
  now: Date,
) => Settled | undefined;

const JUDGES: Readonly<Record<string, Judge>> = {
  "transfer.confirmed": (refund, balance, { txHash, blockNumber, sender }, now) =>
    complete(refund, balance, { txHash, blockNumber, sender, now }),
  "transfer.rejected": (refund, balance, { submittedTxHash, txHash, reason, received }) =>
    refute(refund, balance, { hash: submittedTxHash ?? txHash, reason, received }),
} satisfies Partial<Record<EventType, Judge>>;

export async function settleVerdicts(deps: Deps, events: Event[], tx: PoolClient): Promise<void> {
  const verdicts = toVerdicts(events);
  if (verdicts.length === 0) return;
  const { refunds, balances } = await lockRefunds(tx, verdicts);
  for (const verdict of verdicts) {
    const refund = refunds.get(verdict.id);
    if (refund === undefined) reportUnknown(deps, "refund", verdict);
    if (refund === undefined || !fits(deps, refund, verdict)) continue;
    const balance = balances.get(refund.payment_id) as Balance;
    const settled = await settle(deps, tx, verdict, { refund, balance });
    if (settled === undefined) continue;
    refunds.set(refund.id, settled.refund);
    balances.set(refund.payment_id, settled.balance);
  }
}

async function settle(
  deps: Deps,
  tx: PoolClient,
  verdict: Verdict,
  { refund, balance }: { refund: Refund; balance: Balance },
): Promise<Settled | undefined> {
  const { event, seen } = verdict;
  const now = deps.clock.now();
  const settled = JUDGES[event.type]?.(refund, balance, seen, now);
  reportSums(deps, { noun: "refund", before: refund, after: settled?.refund, verdict });
  if (settled === undefined) return undefined;
  if (settled.event === TRANSITIONS.refute.event) {
    const { from } = TRANSITIONS.refute;
    const row = toEvent(settled.event, settled.refund, now, event.requestId);
    if (!(await changeRefundHashes(tx, refund, settled.refund, { from, event: row })))
      throw new Error("a refund moved although it was locked");
    return settled;
  }
  await applyRefundMove(tx, settled, { now, requestId: event.requestId });
  return settled;
}
