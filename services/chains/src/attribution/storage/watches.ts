// Open payments as rows.
import type { Queryable } from "@pay/database";
import {
  type Address,
  type ChainId,
  type Currency,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
} from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { Watch } from "../domain/watch.ts";

/** Events may repeat and come late; the version of the payment decides which is the newer one. */
export async function upsertWatches(db: Queryable, watches: readonly Watch[]): Promise<void> {
  if (watches.length === 0) return;
  await sql.storeWatches(db, { watches: watches.map(toRow) });
}

function toRow(watch: Watch): sql.StoreWatchesWatches {
  return {
    payment_id: watch.paymentId,
    project_id: watch.projectId,
    mode: watch.mode,
    request_id: watch.requestId,
    chain_id: watch.chainId,
    recipient: watch.recipient,
    currency: watch.currency,
    payer: watch.payer ?? null,
    payer_declared_at: watch.payerDeclaredAt ?? null,
    payer_signed_at: watch.payerSignedAt ?? null,
    base_amount: watch.baseAmount,
    opened_at: watch.openedAt,
    expires_at: watch.expiresAt,
    state: watch.isOpen ? "open" : "closed",
    version: watch.version,
    unsigned_claims: watch.firstWins ? "first" : null,
    cancelled: watch.isCancelled,
  };
}

export interface WatchRow {
  payment_id: string;
  project_id: string;
  mode: number;
  request_id: string;
  chain_id: bigint;
  recipient: string;
  currency: string;
  payer: string | null;
  payer_declared_at: Date | null;
  payer_signed_at: Date | null;
  base_amount: bigint;
  opened_at: Date;
  expires_at: Date;
  state: string;
  version: number;
  unsigned_claims: string | null;
  cancelled: boolean;
}

export function toWatch(row: WatchRow): Watch {
  return {
    paymentId: row.payment_id,
    projectId: row.project_id,
    mode: row.mode,
    requestId: row.request_id,
    chainId: toChainId(row.chain_id),
    recipient: toAddress(row.recipient),
    currency: toCurrency(row.currency),
    payer: row.payer === null ? undefined : toAddress(row.payer),
    payerDeclaredAt: row.payer_declared_at ?? undefined,
    payerSignedAt: row.payer_signed_at ?? undefined,
    baseAmount: toAmount(row.base_amount),
    openedAt: row.opened_at,
    expiresAt: row.expires_at,
    isOpen: row.state === "open",
    isCancelled: row.cancelled,
    firstWins: row.unsigned_claims === "first",
    version: row.version,
  };
}

const RECIPIENTS_PAGE = 20_000;

/** Recipient and currency of every open payment of the chain, each once. */
export async function* listRecipients(
  pool: Pool,
  chainId: ChainId,
): AsyncGenerator<{ recipient: Address; currency: Currency }> {
  let after = { recipient: "", currency: "" };
  for (;;) {
    const rows = await sql.listWatchedRecipients(pool, {
      chainId,
      afterRecipient: after.recipient,
      afterCurrency: after.currency,
      max: RECIPIENTS_PAGE,
    });
    for (const row of rows) {
      yield { recipient: toAddress(row.recipient), currency: toCurrency(row.currency) };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < RECIPIENTS_PAGE) return;
    after = last;
  }
}
