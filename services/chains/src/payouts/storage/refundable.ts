// The amount that a payer may get back of a payment, for the last check before a signature.
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { Intent } from "../domain/intent.ts";
import { toSubjectRow } from "./intents.ts";

type Refund = Pick<Intent, "projectId" | "mode" | "paymentId" | "destination" | "currency">;

export function payerKey({ projectId, mode, paymentId, destination, currency }: Refund): string {
  return [projectId, mode, paymentId, destination, currency].join(" ");
}

/**
 * By payment, wallet and currency: the transfers of the wallet that were proven to pay the payment, without the refunds
 * that were signed.
 */
export async function sumRefundable(
  pool: Pool,
  refunds: readonly Intent[],
): Promise<Map<string, bigint>> {
  if (refunds.length === 0) return new Map();
  const rows = await sql.sumRefundable(pool, { intents: refunds.map(toSubjectRow) });
  return new Map(
    rows.map(({ project_id: projectId, payment_id: paymentId, refundable, ...row }) => [
      payerKey({ ...row, projectId, paymentId }),
      refundable,
    ]),
  );
}
