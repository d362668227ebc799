// What payers may get back of what they have paid, for the last check before a signature. The query begins with the payments
// and finds each sum by its keys, also where PostgreSQL has no statistics yet.
import { toAddress, toCurrency } from "@pay/values";
import type { Pool } from "pg";
import type { Intent } from "../domain/intent.ts";
import { SUBJECT_PARAMETERS, subjectArrays } from "./intents.ts";

const REFUNDABLE = {
  name: "sum-refundable",
  text: `
    with asked as materialized (
      select distinct project_id, mode, payment_id, chain_id, currency, destination
      from unnest(${SUBJECT_PARAMETERS}) as g (project_id, mode, subject_id)
        join intents using (project_id, mode, subject_id)
    )
    select q.project_id, q.mode, q.payment_id, q.destination, q.currency, (paid.sum - refunded.sum)::text as refundable
    from asked q
      cross join lateral (
        select coalesce(sum(t.value), 0) as sum
        from candidates c
          join allocations a on a.candidate_id = c.id and a.project_id = c.project_id
          join transfers t on t.id = a.transfer_id
        where c.subject_id = q.payment_id and c.project_id = q.project_id and c.mode = q.mode
          and t.status <> 'orphaned' and t.sender = q.destination
          and t.chain_id = q.chain_id and t.currency = q.currency) paid
      cross join lateral (
        select coalesce(sum(i.base_amount), 0) as sum
        from intents i
        where i.project_id = q.project_id and i.mode = q.mode and i.payment_id = q.payment_id
          and i.signed_at is not null and i.failure_reason is null
          and i.chain_id = q.chain_id and i.currency = q.currency and i.destination = q.destination) refunded`,
};

type Refund = Pick<Intent, "projectId" | "mode" | "paymentId" | "destination" | "currency">;

export function payerKey({ projectId, mode, paymentId, destination, currency }: Refund): string {
  return [projectId, mode, paymentId, destination, currency].join(" ");
}

/**
 * What a payer has given and not got back, by payment, wallet and currency: the transfers that were proven to pay the payment,
 * without the refunds that were signed.
 */
export async function sumRefundable(
  pool: Pool,
  refunds: readonly Intent[],
): Promise<Map<string, bigint>> {
  if (refunds.length === 0) return new Map();
  const { rows } = await pool.query<RefundableRow>({
    ...REFUNDABLE,
    values: subjectArrays(refunds),
  });
  return new Map(
    rows.map((row) => [
      payerKey({
        projectId: row.project_id,
        mode: row.mode,
        paymentId: row.payment_id,
        destination: toAddress(row.destination),
        currency: toCurrency(row.currency),
      }),
      BigInt(row.refundable),
    ]),
  );
}

interface RefundableRow {
  project_id: string;
  mode: number;
  payment_id: string;
  destination: string;
  currency: string;
  refundable: string;
}
