// Payments of a tenant. A change of state is one statement for a whole list: the guard (the version that the change was
// decided on), the row, its step, the idempotency key and the outbox row together.
import type { AllWritten, Queryable } from "@pay/database";
import { eventRow, type OutboxRow } from "@pay/events";
import type { IdempotentRequest } from "@pay/idempotency";
import type { Tenant } from "@pay/rpc";
import type { Payment } from "../domain/payment.ts";
import type { NewStep } from "../domain/timeline.ts";
import {
  type CreatePaymentsPayments,
  createPayments,
  findPayments as findPaymentRows,
  findPaymentsByKeys,
  findSameHash as findSameHashRows,
  type MovePaymentsMoves,
  movePayments as movePaymentRows,
} from "../generated/sql.ts";
import { formatStep } from "./timelines.ts";

// A column that neither a creation nor a move writes does not compile.
true satisfies AllWritten<
  Exclude<keyof Payment, keyof CreatePaymentsPayments | keyof MovePaymentsMoves>
>;

export interface Insert {
  payment: Payment;
  event: OutboxRow;
  key: IdempotentRequest | undefined;
}

/** Returns the ids of the stored payments; the key of each other payment was used, or is in use. */
export async function insertPayments(
  db: Queryable,
  inserts: readonly Insert[],
): Promise<Set<string>> {
  const payments = inserts.map(({ payment, key, event }) => ({
    ...payment,
    idem_scope: key?.scope ?? null,
    idem_key: key?.key ?? null,
    idem_fingerprint: key?.fingerprint ?? null,
    ...eventRow(event),
  }));
  return new Set((await createPayments(db, { payments })).map(({ id }) => id));
}

/** The payments that were created under these keys, in the order of the request. */
export async function findByKeys(
  db: Queryable,
  keys: readonly IdempotentRequest[],
): Promise<({ payment: Payment; fingerprint: Uint8Array } | undefined)[]> {
  const rows = await findPaymentsByKeys(db, {
    keys: keys.map(({ scope, key }, ord) => ({ scope, key, ord })),
  });
  const found = new Map(rows.map((row) => [row.ord, row]));
  return keys.map((_, ord) => {
    const row = found.get(ord);
    return row && { payment: row, fingerprint: row.idem_fingerprint };
  });
}

/** In the order of the request; another project's payment is absent like an unknown one. */
export async function findPayments(
  db: Queryable,
  requests: readonly { tenant: Tenant; id: string }[],
): Promise<(Payment | undefined)[]> {
  const rows = await findPaymentRows(db, {
    requests: requests.map(({ tenant, id }) => ({
      project_id: tenant.projectId,
      mode: tenant.mode,
      id,
    })),
  });
  const found = new Map(rows.map((row) => [`${row.project_id} ${row.mode} ${row.id}`, row]));
  return requests.map(({ tenant, id }) => found.get(`${tenant.projectId} ${tenant.mode} ${id}`));
}

/** Returns the ids of the payments that were still at the version their move was decided on. */
export async function movePayments(
  db: Queryable,
  moves: readonly { payment: Payment; steps: readonly NewStep[]; event: OutboxRow }[],
): Promise<Set<string>> {
  if (moves.length === 0) return new Set();
  const rows = moves.map(({ payment, steps, event }) => ({
    ...payment,
    step: steps.length === 0 ? null : steps.map(formatStep).join("\n"),
    ...eventRow(event),
  }));
  return new Set((await movePaymentRows(db, { moves: rows })).map(({ id }) => id));
}

/** Positions of the payments whose hash another payment of the same merchant has, too. */
export async function findSameHash(
  db: Queryable,
  requests: readonly { tenant: Tenant; chainId: bigint; txHash: string; id: string }[],
): Promise<Set<number>> {
  const rows = await findSameHashRows(db, {
    requests: requests.map(({ tenant, chainId, txHash, id }, ord) => ({
      ord,
      project_id: tenant.projectId,
      mode: tenant.mode,
      chain_id: chainId,
      id,
      tx_hash: txHash,
    })),
  });
  return new Set(rows.map(({ ord }) => ord));
}
