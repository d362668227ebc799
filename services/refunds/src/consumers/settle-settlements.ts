// Applies the verdicts of the chain to settlements, as settle-refunds.ts does to refunds.
import type { EventType, ObservedTransfer } from "@pay/events";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import { applySettlementMove } from "../apply-moves.ts";
import type { Deps } from "../deps.ts";
import {
  complete,
  type MovedSettlement,
  rejectHash,
  reorg,
  type Settlement,
  TRANSITIONS,
} from "../domain/settlement.ts";
import { toSettlementEvent } from "../messages.ts";
import { lockSettlements } from "../storage/cross-tenant.ts";
import { changeSettlementHashes } from "../storage/settlements.ts";
import { isMatching, reportSums, reportUnknown, toVerdicts, type Verdict } from "./verdicts.ts";

type ApplyVerdict = (
  settlement: Settlement,
  seen: ObservedTransfer,
  now: Date,
) => MovedSettlement | undefined;

const ON_VERDICT: Readonly<Record<string, ApplyVerdict>> = {
  "transfer.confirmed": (settlement, { txHash, blockNumber }, now) =>
    complete(settlement, { txHash, blockNumber, now }),
  "transfer.rejected": (settlement, { submittedTxHash, reason, received }) =>
    rejectHash(settlement, { hash: submittedTxHash, reason, received }),
  "transfer.unseen": (settlement, { submittedTxHash, txHash }) =>
    reorg(settlement, { submittedTxHash, txHash }),
} satisfies Partial<Record<EventType, ApplyVerdict>>;

export async function settleSettlements(
  deps: Deps,
  events: Event[],
  tx: PoolClient,
): Promise<void> {
  const verdicts = toVerdicts(events);
  if (verdicts.length === 0) return;
  const settlements = await lockSettlements(tx, verdicts);
  for (const verdict of verdicts) {
    const settlement = settlements.get(verdict.resourceId);
    if (settlement === undefined) reportUnknown(deps, "stl", verdict);
    if (settlement === undefined || !isMatching(deps, settlement, verdict)) continue;
    const after = await settle(deps, tx, verdict, settlement);
    if (after !== undefined) settlements.set(settlement.id, after);
  }
}

async function settle(
  deps: Deps,
  tx: PoolClient,
  verdict: Verdict,
  before: Settlement,
): Promise<Settlement | undefined> {
  const { event, seen } = verdict;
  const now = deps.clock.now();
  const moved = ON_VERDICT[event.type]?.(before, seen, now);
  const after = moved?.settlement;
  reportSums(deps, { resourceType: "settlement", before, after, verdict });
  if (moved === undefined || after === undefined) return undefined;
  if (moved.event === TRANSITIONS.rejectHash.event) {
    const { from } = TRANSITIONS.rejectHash;
    const row = toSettlementEvent(moved.event, after, now, event.requestId);
    if (await changeSettlementHashes(tx, before, after, { from, event: row })) return after;
    throw new Error("a settlement moved although it was locked");
  }
  await applySettlementMove(tx, moved, { now, requestId: event.requestId });
  return after;
}
