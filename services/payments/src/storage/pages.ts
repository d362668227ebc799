// Pages through all payments of all projects, for jobs that look at each of them again and again.
import type { Pool } from "pg";
import type { Payment } from "../domain/payment.ts";
import { PAYMENT_COLUMNS, paymentTypes } from "./columns.ts";
import type { PaymentName } from "./internal.ts";

const PAGE = {
  name: "page-payments",
  text: `
    select ${PAYMENT_COLUMNS} from payments payment
    where (project_id, id) > ($1, $2) order by project_id, id limit $3`,
};

/** In the order of their names. */
export async function pagePayments(
  pool: Pool,
  { projectId, paymentId }: PaymentName,
  max: number,
): Promise<Payment[]> {
  const values = [projectId, paymentId, max];
  const { rows } = await pool.query<Payment>({ ...PAGE, types: paymentTypes, values });
  return rows;
}
