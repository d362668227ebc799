// Queries for no single tenant: money, refunds and the expiry concern payments of many projects in one list, and a
// client secret proves its holder without a project. No other response to a merchant is made from them.
import type { Queryable } from "@pay/database";
import type { PoolClient } from "pg";
import type { Payment } from "../domain/payment.ts";
import {
  claimUnpaidPayments,
  claimWaitingPayments,
  findPaymentsByNames,
} from "../generated/sql.ts";

/** Claimed in two statements, because each part of the table has its own index over the time. */
export async function claimDuePayments(
  tx: PoolClient,
  claim: { now: Date; limit: number },
): Promise<Payment[]> {
  return [...(await claimUnpaidPayments(tx, claim)), ...(await claimWaitingPayments(tx, claim))];
}

/** An id is searched within its project only. */
export interface PaymentName {
  projectId: string;
  paymentId: string;
}

function toRow({ projectId, paymentId }: PaymentName) {
  return { project_id: projectId, id: paymentId };
}

/** The caller compares the mode. */
export function findByNames(db: Queryable, names: readonly PaymentName[]): Promise<Payment[]> {
  return findPaymentsByNames(db, { names: names.map(toRow) });
}
