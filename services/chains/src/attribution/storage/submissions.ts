// Submitted hashes as rows.
import type { Queryable } from "@pay/database";
import type { Address, Amount, TxHash } from "@pay/values";
import { storeSubmissions as store } from "../../generated/sql.ts";
import { toWallet, type Wallet, walletRow } from "./queue.ts";

export interface NewSubmission extends Wallet {
  subjectId: string;
  requestId: string;
  txHash: TxHash;
  /** Of money that goes out: the wallets that may pay it, and the amount. */
  sources: readonly Address[] | undefined;
  baseAmount: Amount | undefined;
  /** The earliest time of a block that counts. */
  notBefore: Date;
  /** The version of the subject that submitted the hash. */
  attempt: number;
  byMerchant: boolean;
  isAssigned: boolean;
  /** When the search for its transaction ends. */
  giveUpAt: Date;
}

/** Returns the wallets of those that are new, or have to be judged again. */
export async function storeSubmissions(
  db: Queryable,
  submissions: readonly NewSubmission[],
  now: Date,
): Promise<Wallet[]> {
  if (submissions.length === 0) return [];
  const rows = await store(db, {
    submissions: submissions.map((one) => ({
      subject_id: one.subjectId,
      ...walletRow(one),
      request_id: one.requestId,
      tx_hash: one.txHash,
      sources: one.sources === undefined ? null : [...one.sources],
      base_amount: one.baseAmount ?? null,
      not_before: one.notBefore,
      attempt: one.attempt,
      by_merchant: one.byMerchant,
      is_assigned: one.isAssigned,
      give_up_at: one.giveUpAt,
    })),
    now,
  });
  return rows.map(toWallet);
}
