// The chain's verdicts on refund transactions. A verdict may come twice or late; the table of moves decides what
// is still news. One that contradicts an earlier verdict changes nothing and is told to the operator.
import type { Event, Observation } from "@pay/proto";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import { complete, fail, type Refund, type Settled } from "../domain/refund.ts";
import { refundsTotal } from "../metrics.ts";
import { lockRefunds, moveRefund } from "../storage.ts";
import { toEvent } from "../wire.ts";

type Verdict = (
  refund: Refund,
  balance: Balance,
  seen: Observation,
  now: Date,
) => Settled | undefined;

const VERDICTS: Readonly<Record<string, Verdict>> = {
  "transfer.confirmed": (refund, balance, seen, now) =>
    complete(refund, balance, {
      txHash: seen.txHash,
      blockNumber: seen.blockNumber ?? null,
      now,
    }),
  // A hash the refund does not have is not its business.
  "transfer.rejected": (refund, balance, seen) =>
    refund.tx_hash === null || refund.tx_hash === seen.txHash
      ? fail(refund, balance, seen.reason)
      : undefined,
};

export const settleVerdicts = async (
  deps: Deps,
  events: Event[],
  tx: PoolClient,
): Promise<void> => {
  const verdicts = events.flatMap((event) => {
    const judge = VERDICTS[event.type];
    if (judge === undefined || event.resource.case !== "observation") return [];
    return [{ event, judge, seen: event.resource.value }];
  });
  if (verdicts.length === 0) return;
  const ids = verdicts.map(({ seen }) => seen.subjectId);
  const { refunds, balances } = await lockRefunds(tx, ids);

  for (const { event, judge, seen } of verdicts) {
    const refund = refunds.get(seen.subjectId);
    // Subjects of other services share the topic.
    if (refund === undefined || refund.project_id !== event.projectId) continue;
    const now = deps.clock.now();
    const balance = balances.get(refund.payment_id) as Balance;
    const settled = judge(refund, balance, seen, now);
    if (settled === undefined) {
      tellUnexpected(deps, event, refund, seen);
      continue;
    }
    refunds.set(refund.id, settled.refund);
    balances.set(refund.payment_id, settled.balance);
    await moveRefund(
      tx,
      settled.refund,
      toEvent(settled.event, settled.refund, now, event.requestId),
    );
    refundsTotal.inc({ status: settled.refund.status });
  }
};

const tellUnexpected = ({ log }: Deps, event: Event, refund: Refund, seen: Observation): void => {
  if (refund.tx_hash === seen.txHash && refund.failure_reason === (seen.reason || null)) return;
  log.warn(
    { refundId: refund.id, verdict: event.type, status: refund.status, txHash: seen.txHash },
    "a verdict on a settled refund changes nothing",
  );
};
