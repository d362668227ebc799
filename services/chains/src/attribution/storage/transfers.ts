// The transfers that count for a payment or a refund, for many of them at once.
import { bigints } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import type { TransferKind } from "../../providers/domain/transfer.ts";

export interface CountedTransfer {
  subject_id: string;
  tx_hash: string;
  kind: TransferKind;
  ordinal: number;
  sender: string;
  recipient: string;
  value: bigint;
  block_number: bigint;
  block_time: Date;
  /** Null while what has arrived is not enough. */
  confirmed_at: Date | null;
}

// What fell short counts as it does for the next judgement: other refusals say that it was not meant for this.
const FIND = {
  name: "find-counted-transfers",
  text: `
    with subjects as (
      select id, subject_id, chain_id, tx_hash, recipient, currency, payer, other_payers, state, reason
      from candidates where subject_id = any($3) and project_id = $1 and mode = $2::smallint
    ), counted as (
      select s.subject_id, a.transfer_id, a.created_at as confirmed_at
      from subjects s join allocations a on a.candidate_id = s.id
      union all
      select s.subject_id, t.id, null
      from subjects s join transfers t on t.chain_id = s.chain_id and t.tx_hash = s.tx_hash
        and t.recipient = s.recipient and t.currency = s.currency and t.status <> 'orphaned'
      where s.state = 'rejected' and s.reason = 'underpaid' and (s.payer is null or t.sender = s.payer or s.other_payers ? t.sender)
        and not exists (
          select from allocations a where a.transfer_id = t.id and a.project_id = $1 and a.mode = $2::smallint)
    )
    select c.subject_id, t.tx_hash, t.kind, t.ordinal, t.sender, t.recipient, t.value, t.block_number, t.block_time,
      c.confirmed_at
    from counted c join transfers t on t.id = c.transfer_id
    order by t.block_number, t.tx_hash, t.ordinal`,
};

/** In the order in which they were mined; nothing for subjects of another tenant. */
export async function findCountedTransfers(
  db: Pool | ClientBase,
  { projectId, mode }: Tenant,
  subjectIds: readonly string[],
): Promise<CountedTransfer[]> {
  const values = [projectId, mode, subjectIds];
  const { rows } = await db.query<CountedTransfer>({ ...FIND, types: bigints, values });
  return rows;
}
