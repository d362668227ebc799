// Verdicts about money that goes out, from its hashes and the transfers that they brought.
import { type Amount, sumAmounts, type TxHash } from "@pay/values";
import type { Outcome } from "./domain/money.ts";
import { judgeOutgoing } from "./domain/outgoing.ts";
import { findDecisive, findProof, isUnread } from "./read-facts.ts";
import type { JudgedSubmission } from "./settle-payment.ts";
import type { StoredTransfer, WalletFacts } from "./storage/facts.ts";

/** A verdict about money that goes out, or its end by a reorganisation. */
export interface OutgoingNews extends JudgedSubmission {
  kind: "confirmed" | "rejected" | "unseen";
  txHash: TxHash;
  place: { blockNumber: bigint; blockTime: Date } | undefined;
  received: Amount | undefined;
  sender: StoredTransfer["sender"] | undefined;
}

export function judgePayouts(
  facts: WalletFacts,
  alive: readonly StoredTransfer[],
  orphaned: readonly StoredTransfer[],
): { news: OutgoingNews[]; pays: { transferId: bigint; subjectId: string }[] } {
  const news: OutgoingNews[] = [];
  const pays = new Map<bigint, string>();
  const { submissions, transactions } = facts;
  for (const submission of submissions) {
    const { sources, base_amount: amount, subject_id: subjectId } = submission;
    if (sources === null || amount === null) continue;
    const gone = orphaned.filter((row) => row.paid_subject_id === subjectId);
    const [lost] = gone;
    if (submission.outcome === "counted" && lost !== undefined) {
      news.push({
        submission,
        kind: "unseen",
        outcome: undefined,
        epoch: submission.epoch + 1,
        txHash: lost.tx_hash,
        place: undefined,
        received: sumAmounts(gone.map(({ value }) => value)),
        sender: lost.sender,
      });
      continue;
    }
    if (submission.outcome !== null) continue;
    const { replaced_by: replacedBy } = transactions.get(submission.tx_hash) ?? {};
    const decisive = findDecisive(facts, submission);
    if (decisive === undefined || decisive.state === "waiting") continue;
    if (isUnread(facts, decisive)) continue;
    const isTaken = (row: StoredTransfer) =>
      pays.has(row.id) || (row.paid_subject_id !== null && row.paid_subject_id !== subjectId);
    const toOutgoing = (row: StoredTransfer) => ({
      ...row,
      blockTime: row.block_time,
      isTaken: isTaken(row),
    });
    const earlierHashes = new Set(
      submissions
        .filter((one) => one.subject_id === subjectId && one.outcome === "underpaid")
        .map(({ tx_hash }) => tx_hash),
    );
    const verdict =
      decisive.state === "proven"
        ? judgeOutgoing(
            { subjectId, sources, amount, notBefore: submission.not_before },
            {
              arrived: alive.filter((row) => row.tx_hash === decisive.tx_hash).map(toOutgoing),
              earlier: alive
                .filter((row) => earlierHashes.has(row.tx_hash) && !isTaken(row))
                .map(toOutgoing),
              isWrongToken: findProof(facts, decisive)?.isWrongToken ?? false,
            },
          )
        : {
            outcome: rejectUnproven(
              decisive.state,
              replacedBy !== null && replacedBy !== undefined,
            ),
            received: undefined,
            sender: undefined,
          };
    const place =
      decisive.block_number === null || decisive.block_time === null
        ? undefined
        : { blockNumber: decisive.block_number, blockTime: decisive.block_time };
    const isCounted = verdict.outcome === "counted";
    if ("pays" in verdict) for (const { id } of verdict.pays) pays.set(id, subjectId);
    news.push({
      submission,
      kind: isCounted ? "confirmed" : "rejected",
      outcome: isReplacedInVain(verdict.outcome, replacedBy) ? "replaced" : verdict.outcome,
      epoch: submission.epoch,
      txHash: isCounted ? decisive.tx_hash : submission.tx_hash,
      place,
      received: verdict.received,
      sender: "pays" in verdict ? verdict.pays[0]?.sender : verdict.sender,
    });
  }
  return {
    news,
    pays: [...pays].map(([transferId, subjectId]) => ({ transferId, subjectId })),
  };
}

function isReplacedInVain(outcome: Outcome, replacedBy: TxHash | null | undefined): boolean {
  return Boolean(replacedBy) && outcome !== "counted";
}

function rejectUnproven(state: "failed" | "missing", isReplaced: boolean): Outcome & string {
  if (isReplaced) return "replaced";
  return state === "failed" ? "reverted" : "not_found";
}
