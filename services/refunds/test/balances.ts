// What the tables say of a wallet and of a payment.
import type { Pool } from "pg";

export async function getWallet(
  pool: Pool,
  tenant: { projectId: string; mode: number },
  { source, currency }: { source: string; currency: string },
) {
  const { rows } = await pool.query<Record<string, string>>(
    `select credited, reserved_refunds, settled from wallet_balances
     where project_id = $1 and mode = $2 and source_address = lower($3) and currency = lower($4)`,
    [tenant.projectId, tenant.mode, source, currency],
  );
  const { credited = 0, reserved_refunds = 0, settled = 0 } = rows[0] ?? {};
  return {
    credited: BigInt(credited),
    reserved: BigInt(reserved_refunds),
    settled: BigInt(settled),
  };
}

export async function readBalance(pool: Pool, paymentId: string) {
  const { rows } = await pool.query<{ reserved: string; completed: string }>(
    "select * from refund_balances where payment_id = $1",
    [paymentId],
  );
  return {
    reserved: BigInt(rows[0]?.reserved ?? 0),
    completed: BigInt(rows[0]?.completed ?? 0),
  };
}
