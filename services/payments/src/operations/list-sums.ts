import type { MessageInitShape } from "@bufbuild/protobuf";
import { Failure } from "@pay/failures";
import type { ListPaymentSumsRequest, ListPaymentSumsResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { listPaymentSums, readMedianWait } from "../generated/sql.ts";

/** More than 400 days of 20 currencies. */
const SUMS_MAX = 10_000;
const DAY_MS = 24 * 3_600_000;

export async function listSums(
  { db }: Deps,
  { tenant, from, to }: ListPaymentSumsRequest,
): Promise<MessageInitShape<typeof ListPaymentSumsResponseSchema>> {
  const { projectId, mode } = parseTenant(tenant);
  const [rows, [wait]] = await Promise.all([
    listPaymentSums(db.pool, { projectId, mode, from, to, limit: SUMS_MAX + 1 }),
    readMedianWait(db.pool, { projectId, mode, ...toTimes(from, to) }),
  ]);
  if (rows.length > SUMS_MAX) {
    const rule = `must be a period with at most ${SUMS_MAX} sums of a day and a currency`;
    throw new Failure("field_invalid", `from, to ${rule}; choose a shorter one`);
  }
  return {
    medianWaitSeconds: wait?.seconds ?? undefined,
    sums: rows.map((row) => ({
      day: row.day,
      chainId: row.chain_id,
      currency: row.currency,
      decimals: row.decimals,
      started: { payments: row.started, baseAmount: row.started_base_amount },
      paid: { payments: row.paid, baseAmount: row.paid_base_amount },
      received: { payments: row.received, baseAmount: row.received_base_amount },
      refunded: { payments: row.refunded, baseAmount: row.refunded_base_amount },
    })),
  };
}

/** Of two days in UTC, both included. */
function toTimes(from: string, to: string): { from: Date; to: Date } {
  return { from: new Date(from), to: new Date(Date.parse(to) + DAY_MS) };
}
