// Refunds of a tenant. Sums of a payment change only under the lock of its balance row: openBalance and lockRefunds take
// it. A statement adds to a sum or subtracts from it and never sets it, so that the database's CHECKs hold whatever the
// code has read. Every change writes its outbox row in the same statement.
import {
  anyCondition,
  bigints,
  type Condition,
  condition,
  getConstraint,
  type Page,
  type PageRequest,
  parameters,
} from "@pay/database";
import { OUTBOX_COLUMNS, type OutboxRow, outboxValues } from "@pay/events";
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/rpc";
import { toAddress } from "@pay/values";
import type { Pool, PoolClient } from "pg";
import type { Refund } from "../domain/refund.ts";
import { refunds } from "../generated/columns.ts";
import { toJson } from "./hashes.ts";
import { moveRecord } from "./moves.ts";
import { findRecord, listRecords } from "./records.ts";

const COLUMNS = Object.keys(refunds) as (keyof typeof refunds)[];

const INSERT = {
  name: "insert-refund",
  text: `
    with balance as (
      update refund_balances
      set reserved = reserved + $${COLUMNS.indexOf("base_amount") + 1}::numeric, refunds = refunds + 1
      where project_id = $${COLUMNS.indexOf("project_id") + 1}::text
        and payment_id = $${COLUMNS.indexOf("payment_id") + 1}::text
    ), opened as (
      insert into refunds (${COLUMNS.join(", ")}) values (${parameters(COLUMNS.length, 1)})
    )
    insert into outbox (${OUTBOX_COLUMNS}) values (${parameters(6, COLUMNS.length + 1)})`,
};

/** Stores a new refund and what it reserves. */
export async function insertRefund(
  tx: PoolClient,
  refund: Refund,
  event: OutboxRow,
): Promise<void> {
  try {
    const row = { ...refund, other_hashes: toJson(refund.other_hashes) };
    const values = [...COLUMNS.map((column) => row[column]), ...outboxValues(event)];
    await tx.query({ ...INSERT, values });
  } catch (error) {
    if (getConstraint(error) !== "refunds_reason_bounded") throw error;
    throw new Failure("field_invalid", "reason must be at most 500 characters");
  }
}

/** Stores what became of a locked refund; its payment's sums follow. */
export async function moveRefund(tx: PoolClient, refund: Refund, event: OutboxRow): Promise<void> {
  if (await moveRecord(tx, "refunds", refund, event)) return;
  throw new Error("a refund moved although it was locked");
}

/** A refund of another tenant is as absent as an unknown one. */
export function findRefund(pool: Pool, tenant: Tenant, id: string): Promise<Refund | undefined> {
  return findRecord("refunds", pool, tenant, id);
}

const FIND_OF_PAYMENTS = {
  name: "find-refunds-of-payments",
  text: `
    select * from refunds where payment_id = any($3) and project_id = $1 and mode = $2
    order by created_at desc, id desc`,
};

/** Newest first. A payment has a bounded number of them. */
export async function findPaymentRefunds(
  pool: Pool,
  { projectId, mode }: Tenant,
  paymentIds: string[],
): Promise<Refund[]> {
  const values = [projectId, mode, paymentIds];
  const { rows } = await pool.query<Refund>({ ...FIND_OF_PAYMENTS, types: bigints, values });
  return rows;
}

export interface RefundQuery {
  page: PageRequest;
  paymentId?: string | undefined;
  /** Empty: all. */
  statuses: string[];
  /** Only what belongs to one shopper: by wallet or by customer record. */
  owner?: { walletAddress: string; customerIds: string[] } | undefined;
}

export function listRefunds(
  pool: Pool,
  tenant: Tenant,
  { page, paymentId, statuses, owner }: RefundQuery,
): Promise<Page<Refund>> {
  const where = [
    ...condition("payment_id = ?", paymentId),
    ...(owner === undefined ? [] : [ownedBy(owner)]),
  ];
  return listRecords("refunds", pool, tenant, { page, statuses, where });
}

/** A shopper without wallet and customers owns nothing. */
function ownedBy({ walletAddress, customerIds }: NonNullable<RefundQuery["owner"]>): Condition {
  const wallet = walletAddress === "" ? undefined : toAddress(walletAddress);
  return anyCondition([
    ...condition("payer_address = ?", wallet),
    ...condition("sender_address = ?", wallet),
    ...condition("customer_id = any(?::text[])", customerIds),
  ]);
}
