// Open payments of the tenant that a transaction may be meant for: those of exactly the amount that it brought, or of
// exactly the amount of one of its claimants.
import {
  type Address,
  type Amount,
  type ChainId,
  type Currency,
  type TxHash,
  toAddress,
  toAmount,
} from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import { withClockSlack } from "../domain/candidate.ts";
import type { Rival } from "../domain/hold.ts";

/** The transaction that candidates claim. */
export interface ClaimedTransaction {
  txHash: TxHash;
  senders: readonly Address[];
  /** Of its transfers to the recipient. */
  values: readonly Amount[];
  blockTime: Date;
}

interface Common {
  projectId: string;
  mode: number;
  chainId: ChainId;
  txHash: TxHash;
  recipient: Address;
  currency: Currency;
}

interface Known {
  claimants: readonly sql.FindClaimantsRow[];
  related: readonly sql.FindRelatedTransfersRow[];
  claimed: ClaimedTransaction;
}

/** So many at most that there are more than transfers, where there are more. */
export async function findCompetingPayments(
  pool: Pool,
  common: Common,
  { claimants, related, claimed: { txHash, senders, values, blockTime } }: Known,
): Promise<Rival[]> {
  const parts = related.filter((row) => row.subject_id !== null);
  const amounts = [
    ...values,
    ...claimants.map((row) => row.base_amount),
    ...parts.map((row) => row.value),
  ];
  const times = [blockTime, ...parts.map((row) => row.block_time)].map((time) => time.getTime());
  const knownAt = claimants
    .filter((row) => row.tx_hash === txHash)
    .map((row) => row.asked_at ?? row.created_at)
    .toSorted((a, b) => a.getTime() - b.getTime());
  const rows = await sql.findCompetingPayments(pool, {
    ...common,
    payers: [...new Set([...senders, ...parts.map((row) => row.sender)])],
    amounts: [...new Set(amounts)],
    firstBlockTime: new Date(Math.min(...times)),
    openedUntil: withClockSlack(new Date(Math.max(...times))),
    openedBefore: knownAt[0] ?? null,
    max: values.length + claimants.length + 1,
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
