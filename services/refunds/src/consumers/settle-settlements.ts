// The chain's verdicts on settlement transactions, applied as those on refunds are.
import type { EventType, ObservedTransfer } from "@pay/events";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import { applySettlementMove } from "../apply-moves.ts";
import type { Deps } from "../deps.ts";
import {
  complete,
  type Moved,
  refute,
  type Settlement,
  TRANSITIONS,
} from "../domain/settlement.ts";
import { toSettlementEvent } from "../messages.ts";
import { lockSettlements } from "../storage/cross-tenant.ts";
import { changeSettlementHashes } from "../storage/settlements.ts";
import { fits, reportSums, reportUnknown, toVerdicts, type Verdict } from "./verdicts.ts";

type Judge = (settlement: Settlement, seen: ObservedTransfer, now: Date) => Moved | undefined;

const JUDGES: Readonly<Record<string, Judge>> = {
  "transfer.confirmed": (settlement, { txHash, blockNumber }, now) =>
    complete(settlement, { txHash, blockNumber, now }),
  "transfer.rejected": (settlement, { submittedTxHash, txHash, reason, received }) =>
    refute(settlement, { hash: submittedTxHash ?? txHash, reason, received }),
} satisfies Partial<Record<EventType, Judge>>;

export async function settleSettlements(
  deps: Deps,
  events: Event[],
  tx: PoolClient,
): Promise<void> {
  const verdicts = toVerdicts(events);
  if (verdicts.length === 0) return;
  const settlements = await lockSettlements(tx, verdicts);
  for (const verdict of verdicts) {
    const settlement = settlements.get(verdict.id);
    if (settlement === undefined) reportUnknown(deps, "stl", verdict);
    if (settlement === undefined || !fits(deps, settlement, verdict)) continue;
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
  const moved = JUDGES[event.type]?.(before, seen, now);
  const after = moved?.settlement;
  reportSums(deps, { noun: "settlement", before, after, verdict });
  if (moved === undefined || after === undefined) return undefined;
  if (moved.event === TRANSITIONS.refute.event) {
    const { from } = TRANSITIONS.refute;
    const row = toSettlementEvent(moved.event, after, now, event.requestId);
    if (await changeSettlementHashes(tx, before, after, { from, event: row })) return after;
    throw new Error("a settlement moved although it was locked");
  }
  await applySettlementMove(tx, moved, { now, requestId: event.requestId });
  return after;
}
