// All candidates of a tenant that wait for one transaction, and the transfers that their verdicts depend on. Read in
// two steps: a hash that gets its verdict between them is missing in the first, so the batch is rejected and read
// again.
import { toAddress } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { Transfer } from "../../providers/domain/transfer.ts";
import { type Candidate, type Claimant, withClockSlack } from "../domain/candidate.ts";
import type { Rival } from "../domain/hold.ts";
import { type ClaimedTransaction, findCompetingPayments } from "./competing-payments.ts";
import { toCandidate, toTransfer } from "./rows.ts";

/** Beyond it only the best, by what is known without the transaction; the others get their verdicts after them. */
const CLAIMANTS_MAX = 1_000;

export interface Claimants {
  claimants: Claimant[];
  /** Other payments that the transaction may be meant for, the claimants' own among them. */
  rivals: Rival[];
  /** The transaction's transfers that pay something else of the tenant already. */
  taken: readonly Transfer[];
}

/** The claimants of the transaction, and the given candidates, whose own one it may have replaced. */
export async function findClaimants(
  pool: Pool,
  candidates: readonly [Candidate, ...Candidate[]],
  claimed: ClaimedTransaction,
): Promise<Claimants> {
  const { txHash, senders, blockTime } = claimed;
  const [{ projectId, mode, chainId, claim }] = candidates;
  const { recipient, currency } = claim;
  const common = { projectId, mode, chainId, txHash, recipient, currency };
  const claimants = await sql.findClaimants(pool, {
    ...common,
    ids: candidates.map(({ id }) => id),
    senders,
    blockTime,
    openedUntil: withClockSlack(blockTime),
    max: CLAIMANTS_MAX,
  });
  const subjectIds = claimants.map((row) => row.subject_id);
  const related = await sql.findRelatedTransfers(pool, { ...common, subjectIds });
  function listTransfers(subjectId: string | null) {
    return related.filter((row) => row.subject_id === subjectId).map(toTransfer);
  }

  return {
    claimants: claimants.map((row) => ({
      ...toCandidate(row.signed ? { ...row, payer: row.signer } : row),
      isProven: row.proven,
      firstWins: row.first_wins,
      isCancelled: row.cancelled,
      isSigned: row.signed,
      signedElsewhere: new Set(row.signed_elsewhere.map(toAddress)),
      judgedHashes: row.judged,
      earlier: listTransfers(row.subject_id),
    })),
    rivals: claimants.every((row) => row.merchant_submitted || row.signed)
      ? []
      : await findCompetingPayments(pool, common, { claimants, related, claimed }),
    taken: listTransfers(null),
  };
}
