// Refunds of a tenant. Sums of a payment change only under the lock of its balance row: openBalance and lockRefunds
// take it. A statement adds to a sum and never sets it, so that the database's CHECKs hold whatever the code has read.
import {
  type AllWritten,
  anyCondition,
  type Condition,
  condition,
  getConstraint,
  type Page,
  type Queryable,
} from "@pay/database";
import { eventRow, type OutboxRow } from "@pay/events";
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/rpc";
import { type Amount, toAddress, toAmount, toTxHash } from "@pay/values";
import type { Pool, PoolClient } from "pg";
import type { Balance } from "../domain/balance.ts";
import type { Credit } from "../domain/credit.ts";
import { findDay } from "../domain/limit.ts";
import { isOpen, type Refund, type RefundChange } from "../domain/refund.ts";
import * as sql from "../generated/sql.ts";
import { listRecords, type RecordQuery } from "./list-records.ts";

/**
 * Each column is written by the creation, a move or a submitted hash, and a move writes each column that it changes.
 */
true satisfies AllWritten<
  | Exclude<
      keyof Refund,
      keyof sql.CreateRefundRefunds | keyof sql.MoveRefundRefunds | "payout_wallets"
    >
  | Exclude<keyof RefundChange, keyof sql.MoveRefundRefunds>
>;

/** The balance of a payment under lock until the transaction ends; creates it where there is none. */
export async function openBalance(tx: PoolClient, fresh: Balance): Promise<Balance> {
  const { payment_id: paymentId, project_id: projectId, mode, amount, received } = fresh;
  const paymentVersion = fresh.payment_version;
  const payment = { paymentId, projectId, mode, amount, received, paymentVersion };
  const [balance] = await sql.openBalance(tx, payment);
  return balance as Balance;
}

export async function findBalance(
  db: Queryable,
  { projectId }: Tenant,
  paymentId: string,
): Promise<Balance | undefined> {
  const [balance] = await sql.findBalance(db, { projectId, paymentId });
  return balance as Balance | undefined;
}

/** The proven sums of payments that have refunds, at their present versions. */
export async function followPayments(tx: PoolClient, credits: readonly Credit[]): Promise<void> {
  if (credits.length > 0) await sql.followPayments(tx, { credits });
}

/** The sums of a payment's refunds, by destination in lower case. The balance is locked by the caller. */
export async function sumReturned(
  tx: PoolClient,
  { project_id: projectId, payment_id: paymentId }: Balance,
): Promise<Map<string, Amount>> {
  const rows = await sql.sumReturned(tx, { projectId, paymentId });
  return new Map(rows.map(({ address, sum }) => [address, toAmount(sum)]));
}

/** What a person has requested of the refund's token on its day; further requests of the person wait for this one. */
export async function sumRequested(
  tx: PoolClient,
  refund: Refund & { requested_by: string },
): Promise<Amount> {
  const { project_id: projectId, mode, requested_by: requestedBy, currency } = refund;
  await sql.lockRequester(tx, { projectId, requestedBy });
  const [row] = await sql.sumRequested(tx, {
    projectId,
    mode,
    requestedBy,
    chainId: refund.chain_id,
    currency,
    since: findDay(refund),
  });
  return toAmount(row?.sum ?? "0");
}

/** A declaration makes one refund. */
export async function markDeclared(
  tx: PoolClient,
  { project_id: projectId, payment_id: paymentId }: Balance,
  declaredAt: Date,
): Promise<void> {
  await sql.declareBalance(tx, { projectId, paymentId, declaredAt });
}

/** Stores a new refund and reserves its amount. */
export async function insertRefund(
  tx: PoolClient,
  refund: Refund,
  event: OutboxRow,
): Promise<void> {
  try {
    await sql.createRefund(tx, { refunds: [{ ...refund, ...eventRow(event) }] });
  } catch (error) {
    if (getConstraint(error) !== "refunds_reason_bounded") throw error;
    throw new Failure("field_invalid", "reason must be at most 500 characters");
  }
}

/** Stores a move of a locked refund; the sums of its payment follow. */
export async function moveRefund(tx: PoolClient, refund: Refund, event: OutboxRow): Promise<void> {
  const moved = await sql.moveRefund(tx, { refunds: [{ ...refund, ...eventRow(event) }] });
  if (moved !== 1) throw new Error("a refund moved although it was locked");
}

/** Stores submitted hashes and their verdicts. False when the refund has moved or has other hashes meanwhile. */
export async function changeRefundHashes(
  db: Queryable,
  before: Refund,
  after: Refund,
  { from, event }: { from: readonly string[]; event: OutboxRow },
): Promise<boolean> {
  const known = { known_hash: before.tx_hash, known_others: before.other_hashes };
  const changed = await sql.changeRefundHashes(db, {
    refunds: [{ ...after, ...known, ...eventRow(event) }],
    statuses: from,
    payoutWallets: after.payout_wallets,
  });
  return changed === 1;
}

/** False when the refund has a destination or is final meanwhile. */
export async function storeDestination(
  db: Queryable,
  refund: Refund,
  event: OutboxRow,
): Promise<boolean> {
  const refunds = [{ ...refund, ...eventRow(event) }];
  return (await sql.setRefundDestination(db, { refunds })) === 1;
}

/** Those of the refunds that wait although a reorganisation has removed the money of their payment. */
export async function findReorged(
  db: Queryable,
  tenant: Pick<Tenant, "projectId">,
  refunds: readonly Refund[],
): Promise<ReadonlySet<Refund>> {
  const open = refunds.filter(isOpen);
  if (open.length === 0) return new Set();
  const paymentIds = [...new Set(open.map((refund) => refund.payment_id))];
  const rows = await sql.findUncovered(db, { projectId: tenant.projectId, paymentIds });
  const uncovered = new Set(rows.map((row) => row.payment_id));
  return new Set(open.filter((refund) => uncovered.has(refund.payment_id)));
}

/** A refund of another tenant is as absent as an unknown one. */
export async function findRefund(
  db: Queryable,
  tenant: Tenant,
  id: string,
): Promise<Refund | undefined> {
  const [refund] = await sql.findRefund(db, { ...tenant, id });
  return refund;
}

/** Newest first. A payment has a bounded number of them. */
export function findPaymentRefunds(
  db: Queryable,
  tenant: Tenant,
  paymentIds: string[],
): Promise<Refund[]> {
  return sql.findRefundsOfPayments(db, { ...tenant, paymentIds });
}

export interface RefundQuery extends RecordQuery {
  paymentId?: string | undefined;
  txHash?: string | undefined;
  /** Only refunds of one customer: by wallet or by customer record. */
  owner?: { walletAddress: string; customerIds: string[] } | undefined;
}

export function listRefunds(
  pool: Pool,
  tenant: Tenant,
  { paymentId, txHash, owner, ...query }: RefundQuery,
): Promise<Page<Refund>> {
  return listRecords("refunds", pool, tenant, query, [
    ...condition("payment_id = ?", paymentId),
    ...condition("tx_hash = ?", txHash && toTxHash(txHash)),
    ...(owner === undefined ? [] : [isOwnedBy(owner)]),
  ]);
}

/** An owner without wallet and customers owns nothing. */
function isOwnedBy({ walletAddress, customerIds }: NonNullable<RefundQuery["owner"]>): Condition {
  const wallet = walletAddress === "" ? undefined : toAddress(walletAddress);
  return anyCondition([
    ...condition("payer_address = ?", wallet),
    ...condition("sender_address = ?", wallet),
    ...condition("customer_id = any(?::text[])", customerIds),
  ]);
}
