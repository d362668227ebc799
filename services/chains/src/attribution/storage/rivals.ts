// Open payments of the tenant that a transaction may be meant for: those that ask for exactly what it brought, or for exactly
// what one of its claimants asks for.

import { type Address, type Amount, type TxHash, toAddress, toAmount } from "@pay/values";
import type { Pool } from "pg";
import { CLOCK_SLACK_MS } from "../domain/candidate.ts";
import type { Rival } from "../domain/hold.ts";
import type { CandidateRow, TransferRow } from "./rows.ts";

export interface RelatedRow extends TransferRow {
  subject_id: string | null;
  block_time: Date;
}

// A payment whose own hash has brought as much of its own is served by that. One that was opened after the hash of the
// transaction was known cannot be what it was sent for; one opened a little after its block can, as for its own claim.
// Each branch is read from the index that was made for it.
const IN_TIME = `w.chain_id = $3 and w.recipient = $5 and w.currency = $6 and w.state = 'open' and not w.cancelled
  and w.project_id = $1 and w.mode = $2::smallint and w.base_amount = any($8::numeric[])
  and w.opened_at <= $10::timestamptz + interval '${CLOCK_SLACK_MS} milliseconds' and w.expires_at >= $9
  and ($11::timestamptz is null or w.opened_at < $11)
  and not exists (
    select from candidates o join transfers t on t.chain_id = o.chain_id and t.tx_hash = o.tx_hash
    where o.project_id = w.project_id and o.mode = w.mode and o.subject_id = w.payment_id and o.state = 'waiting' and o.tx_hash <> $4
      and t.recipient = w.recipient and t.currency = w.currency and t.value = w.base_amount and t.status <> 'orphaned'
      and (o.payer is null or o.payer = t.sender)
      and not exists (
        select from allocations a where a.transfer_id = t.id and a.project_id = $1 and a.mode = $2::smallint)
      and not exists (
        select from candidates c where c.chain_id = $3 and c.tx_hash = $4 and c.subject_id = w.payment_id
          and c.project_id = w.project_id and c.mode = w.mode and c.state = 'waiting'))`;
const COLUMNS =
  "w.payment_id as subject_id, w.payer, w.payer_declared_at, w.base_amount, coalesce(w.unsigned_claims = 'first', false) as first_wins";
const FIND = {
  name: "find-rivals",
  text: `
    (select ${COLUMNS}, false as ambiguous from watches w where w.payer is null and ${IN_TIME}
      order by w.base_amount, w.expires_at limit $12)
    union all
    (select ${COLUMNS}, false as ambiguous from watches w where w.payer = any($7::text[]) and ${IN_TIME} limit $12)
    union all
    (select c.subject_id, c.payer, c.payer_declared_at, c.base_amount, false, true from candidates c
      where c.chain_id = $3 and c.tx_hash = $4 and c.recipient = $5 and c.currency = $6
        and c.project_id = $1 and c.mode = $2::smallint and c.state = 'rejected' and c.reason = 'ambiguous' limit $12)`,
};

interface RivalRow {
  subject_id: string;
  payer: string | null;
  payer_declared_at: Date | null;
  base_amount: string;
  first_wins: boolean;
  ambiguous: boolean;
}

/** So many at most that there are more than transfers, where there are more. */
export async function findRivals(
  pool: Pool,
  common: readonly unknown[],
  {
    claimants,
    earlier,
    claimed: { txHash, senders, values, blockTime },
  }: {
    claimants: readonly CandidateRow[];
    earlier: readonly RelatedRow[];
    claimed: {
      txHash: TxHash;
      senders: readonly Address[];
      values: readonly Amount[];
      blockTime: Date;
    };
  },
): Promise<Rival[]> {
  const parts = earlier.filter((row) => row.subject_id !== null);
  const amounts = [
    ...values.map(String),
    ...claimants.map((row) => row.base_amount),
    ...parts.map((row) => row.value),
  ];
  const times = [blockTime, ...parts.map((row) => row.block_time)].map((time) => time.getTime());
  const known = claimants.filter((row) => row.tx_hash === txHash);
  const knownAt = known
    .map((row) => row.asked_at ?? row.created_at)
    .toSorted((a, b) => a.getTime() - b.getTime());
  const wallets = [...senders, ...parts.map((row) => row.sender)];
  const { rows } = await pool.query<RivalRow>({
    ...FIND,
    values: [
      ...common,
      [...new Set(wallets)],
      [...new Set(amounts)],
      new Date(Math.min(...times)),
      new Date(Math.max(...times)),
      knownAt[0] ?? null,
      values.length + claimants.length + 1,
    ],
  });
  return rows.map((row) => ({
    subjectId: row.subject_id,
    payer: row.payer === null ? undefined : toAddress(row.payer),
    payerDeclaredAt: row.payer_declared_at ?? undefined,
    baseAmount: toAmount(row.base_amount),
    firstWins: row.first_wins,
    isAmbiguous: row.ambiguous,
    hasClaimed: row.ambiguous,
  }));
}
