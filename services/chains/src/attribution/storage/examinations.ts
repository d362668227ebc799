// What is stored about the transactions of one payment, for people who ask why it is where it is.
import { bigints } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { Reason } from "@pay/values";
import type { Pool } from "pg";
import type { Wait } from "../domain/evidence.ts";
import type { CandidateState } from "../domain/rules.ts";
import type { CountedTransfer } from "./transfers.ts";

const TRANSACTIONS_MAX = 50;
const TRANSFERS_MAX = 200;

export interface Examination {
  id: bigint;
  chain_id: bigint;
  tx_hash: string;
  found: boolean;
  asked_at: Date | null;
  merchant_submitted: boolean;
  state: CandidateState;
  reason: Reason | null;
  waits_for: Wait | null;
  proving_tx_hash: string | null;
  created_at: Date;
  first_seen_at: Date | null;
  looked_at: Date | null;
  judged_at: Date | null;
  mined_block: bigint | null;
  chain_head: bigint | null;
  providers_agreeing: number | null;
  providers_contradicting: number | null;
  payer: string | null;
  base_amount: bigint;
  not_before: Date;
  not_after: Date | null;
}

export interface ExaminedTransfer extends CountedTransfer {
  candidate_id: bigint;
  block_hash: string;
  status: "seen" | "final" | "orphaned";
  pays: "this" | "other" | "nothing";
}

const FIND = {
  name: "find-examinations",
  text: `
    select id, chain_id, tx_hash, found, asked_at, merchant_submitted, state, reason, waits_for, proving_tx_hash, created_at,
      first_seen_at, looked_at, judged_at, mined_block, chain_head, providers_agreeing, providers_contradicting,
      payer, base_amount, not_before, not_after
    from candidates where subject_id = $3 and project_id = $1 and mode = $2::smallint
    order by created_at, id limit ${TRANSACTIONS_MAX}`,
};

const FIND_TRANSFERS = {
  name: "find-examined-transfers",
  text: `
    select c.id as candidate_id, c.subject_id, t.tx_hash, t.kind, t.ordinal, t.sender, t.recipient, t.value,
      t.block_number, t.block_hash, t.block_time, t.status, a.created_at as confirmed_at,
      case when a.subject_id is null then 'nothing' when a.subject_id = c.subject_id then 'this' else 'other' end
        as pays
    from candidates c
      join transfers t on t.chain_id = c.chain_id and t.tx_hash in (c.tx_hash, c.proving_tx_hash)
        and t.recipient = c.recipient and t.currency = c.currency
      left join allocations a on a.transfer_id = t.id and a.project_id = c.project_id and a.mode = c.mode
    where c.project_id = $2 and c.id = any($1::bigint[])
    order by t.block_number, t.tx_hash, t.kind, t.ordinal limit ${TRANSFERS_MAX}`,
};

export interface Examined {
  transactions: Examination[];
  transfers: ExaminedTransfer[];
}

/** Nothing for a payment of another tenant. */
export async function findExaminations(
  pool: Pool,
  { projectId, mode }: Tenant,
  subjectId: string,
): Promise<Examined> {
  const { rows: transactions } = await pool.query<Examination>({
    ...FIND,
    types: bigints,
    values: [projectId, mode, subjectId],
  });
  if (transactions.length === 0) return { transactions, transfers: [] };
  const { rows: transfers } = await pool.query<ExaminedTransfer>({
    ...FIND_TRANSFERS,
    types: bigints,
    values: [transactions.map(({ id }) => id), projectId],
  });
  return { transactions, transfers };
}
