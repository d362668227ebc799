// All candidates of a tenant that wait for one transaction, and the transfers that their verdicts depend on. Read in two
// steps: a hash that gets its verdict between them is missing in the first, so the batch is refused and read again.
import { type Address, type Amount, type TxHash, toAddress } from "@pay/values";
import type { Pool } from "pg";
import type { Transfer } from "../../providers/domain/transfer.ts";
import { type Candidate, CLOCK_SLACK_MS, type Claimant } from "../domain/candidate.ts";
import type { Rival } from "../domain/hold.ts";
import { findRivals, type RelatedRow } from "./rivals.ts";
import { type CandidateRow, toCandidate, toTransfer } from "./rows.ts";

/** Beyond it only the best, by what is known without the transaction; the others get their verdicts after them. */
const CLAIMANTS_MAX = 1_000;

// A wallet may have signed for a payment after its hash was submitted without a payer. What a merchant accepts for a payment
// that it has cancelled is the merchant's own hash.
const CLAIMANTS = {
  name: "find-claimants",
  text: `
    select c.*, siblings.judged, siblings.proven, coalesce(own.unsigned_claims = 'first', false) as first_wins,
      coalesce(own.cancelled and not c.merchant_submitted, false) as cancelled,
      own.payer as signer, own.payer_signed_at is not null and not own.cancelled
        and case when c.payer is null then not c.merchant_submitted else own.payer = c.payer end as signed,
      array(
        select distinct w.payer from watches w
        where w.chain_id = c.chain_id and w.recipient = c.recipient and w.currency = c.currency and w.state = 'open'
          and not w.cancelled and w.payer = any($8::text[]) and w.payer_signed_at is not null
          and w.project_id = c.project_id and w.mode = c.mode and w.payment_id <> c.subject_id
          and w.opened_at <= $9::timestamptz + interval '${CLOCK_SLACK_MS} milliseconds' and w.expires_at >= $9) as signed_elsewhere
    from candidates c left join watches own on own.project_id = c.project_id and own.payment_id = c.subject_id cross join lateral (
      select count(*)::integer as judged, coalesce(bool_or(s.state = 'confirmed'), false) as proven
      from candidates s
      where s.project_id = c.project_id and s.mode = c.mode and s.subject_id = c.subject_id
        and s.state in ('confirmed', 'surplus', 'rejected')
    ) siblings
    where c.state = 'waiting' and c.project_id = $1 and c.mode = $2::smallint
      and (c.chain_id = $3 and c.tx_hash = $4 and c.recipient = $5 and c.currency = $6 or c.id = any($7::bigint[]))
    order by (c.merchant_submitted or c.payer is not null) desc, coalesce(c.named_order, c.id)
    limit ${CLAIMANTS_MAX}`,
};

// Only what fell short counts towards the sum: other refusals say that the transfer was not meant for it.
const RELATED = {
  name: "find-related-transfers",
  text: `
    select null as subject_id, t.tx_hash, t.kind, t.ordinal, t.currency, t.sender, t.recipient, t.value, t.block_time
    from transfers t join allocations a on a.transfer_id = t.id
    where t.chain_id = $3 and t.tx_hash = $4 and a.project_id = $1 and a.mode = $2::smallint
    union all
    select c.subject_id, t.tx_hash, t.kind, t.ordinal, t.currency, t.sender, t.recipient, t.value, t.block_time
    from candidates c join transfers t on t.chain_id = c.chain_id and t.tx_hash = c.tx_hash
    where c.subject_id = any($7) and c.project_id = $1 and c.mode = $2::smallint
      and c.state = 'rejected' and c.reason = 'underpaid'
      and c.tx_hash <> $4 and t.status <> 'orphaned' and t.recipient = $5 and t.currency = $6
      and not exists (
        select from allocations a
        where a.transfer_id = t.id and a.project_id = c.project_id and a.mode = c.mode)`,
};

interface ClaimantRow extends CandidateRow {
  judged: number;
  proven: boolean;
  first_wins: boolean;
  cancelled: boolean;
  /** Of the payment, where one is declared. */
  signer: string | null;
  signed: boolean;
  signed_elsewhere: string[];
}

/** The transaction that they claim. */
export interface ClaimedTransaction {
  txHash: TxHash;
  senders: readonly Address[];
  /** Of its transfers to the recipient. */
  values: readonly Amount[];
  blockTime: Date;
}

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
  const common = [projectId, mode, chainId, txHash, claim.recipient, claim.currency];
  const { rows: claimants } = await pool.query<ClaimantRow>({
    ...CLAIMANTS,
    values: [...common, candidates.map(({ id }) => id), senders, blockTime],
  });
  const { rows: around } = await pool.query<RelatedRow>({
    ...RELATED,
    values: [...common, claimants.map((row) => row.subject_id)],
  });
  function listTransfers(subjectId: string | null) {
    return around.filter((row) => row.subject_id === subjectId).map(toTransfer);
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
      : await findRivals(pool, common, { claimants, earlier: around, claimed }),
    taken: listTransfers(null),
  };
}
