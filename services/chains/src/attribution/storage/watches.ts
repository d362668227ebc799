// Payments that transfers may pay, as rows.
import type { Queryable } from "@pay/database";
import {
  type Address,
  type Amount,
  type ChainId,
  type Currency,
  type PaymentReference,
  toAddress,
  toCurrency,
} from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import { insertKnownRecipients } from "./known-recipients.ts";

export interface Watch {
  paymentId: string;
  projectId: string;
  mode: number;
  requestId: string;
  chainId: ChainId;
  recipient: Address;
  currency: Currency;
  amount: Amount;
  openedAt: Date;
  expiresAt: Date;
  /** A moment after it was cancelled, else when it expires. */
  endsAt: Date;
  signedBy: Address | undefined;
  isHeld: boolean;
  closedAt: Date | undefined;
  isAccepted: boolean;
  isFollowed: boolean;
  /** Of the payment. */
  version: number;
  /** What names the payment in the call of a transfer. */
  reference: PaymentReference;
  /** Its deposit address; undefined where it is paid at its recipient. */
  payTo: Address | undefined;
}

/** Transfers from a moment before its creation are visible to the merchant: an early payment is not lost. */
const VISIBLE_MS = 60_000;

/** Events may repeat and come late; the version of the payment decides which is the newer one. */
export async function storeWatches(db: Queryable, watches: readonly Watch[]): Promise<void> {
  if (watches.length === 0) return;
  // First, because the follower looks back for a payment that is new to it, and not once more.
  await insertKnownRecipients(
    db,
    watches.map((watch) => ({
      ...watch,
      sender: undefined,
      since: new Date(watch.openedAt.getTime() - VISIBLE_MS),
    })),
  );
  await sql.storeWatches(db, {
    watches: watches.map((watch) => ({
      payment_id: watch.paymentId,
      project_id: watch.projectId,
      mode: watch.mode,
      request_id: watch.requestId,
      chain_id: watch.chainId,
      recipient: watch.recipient,
      currency: watch.currency,
      base_amount: watch.amount,
      opened_at: watch.openedAt,
      expires_at: watch.expiresAt,
      ends_at: watch.endsAt,
      signed_by: watch.signedBy ?? null,
      is_held: watch.isHeld,
      closed_at: watch.closedAt ?? null,
      is_accepted: watch.isAccepted,
      is_followed: watch.isFollowed,
      version: watch.version,
      reference: watch.reference,
      pay_to: watch.payTo ?? null,
    })),
  });
}

const RECIPIENTS_PAGE = 20_000;

/** Recipient and currency of every followed payment of the chain, each once for a tenant. */
export async function* listRecipients(
  pool: Pool,
  chainId: ChainId,
): AsyncGenerator<{ recipient: Address; currency: Currency }> {
  let after = { project_id: "", mode: 0, recipient: "", currency: "" };
  for (;;) {
    const rows = await sql.listWatchedRecipients(pool, {
      chainId,
      afterProjectId: after.project_id,
      afterMode: after.mode,
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

const ADDRESSES_PAGE = 50_000;

/** Every deposit address that is followed on the chain, with the currency of its payment. */
export async function* listDepositAddresses(
  pool: Pool,
  chainId: ChainId,
): AsyncGenerator<{ payTo: Address; currency: Currency }> {
  for (let after = ""; ; ) {
    const rows = await sql.listDepositAddresses(pool, { chainId, after, max: ADDRESSES_PAGE });
    for (const row of rows) {
      yield { payTo: toAddress(row.pay_to), currency: toCurrency(row.currency) };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ADDRESSES_PAGE) return;
    after = last.pay_to;
  }
}
