// The steps of payments that were found with their tenant. A trigger adds the step of each move to its payment.
import type { ClientBase, Pool } from "pg";
import type { Payment } from "../domain/payment.ts";
import type { Step } from "../domain/timeline.ts";
import { paymentTypes } from "./columns.ts";

const FIND = {
  name: "find-timelines",
  text: `
    select payment.id as payment_id, step.event, step.status, step.happened_at, step.reason,
      nullif(coalesce(step.tx_hash, payment.tx_hash), '') as tx_hash
    from unnest($1::text[], $2::text[]) as asked (project_id, id)
    join payment_records payment using (project_id, id)
    cross join lateral payment_steps(payment.steps) step
    order by nth`,
};

/** By payment, oldest first. */
export async function findSteps(
  db: Pool | ClientBase,
  payments: readonly Payment[],
): Promise<Map<string, Step[]>> {
  const values = [payments.map(({ project_id }) => project_id), payments.map(({ id }) => id)];
  const { rows } = await db.query<Step & { payment_id: string }>({
    ...FIND,
    types: paymentTypes,
    values,
  });
  return Map.groupBy(rows, ({ payment_id }) => payment_id);
}
