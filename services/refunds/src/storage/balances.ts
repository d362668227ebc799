// What can still be refunded of a payment: one row per payment, whose lock guards the sums of all its refunds.
import { bigints } from "@pay/database";
import type { PoolClient } from "pg";
import type { Balance } from "../domain/balance.ts";

// The update changes a row only where more was received since; its purpose is the lock, which every caller needs.
const OPEN_BALANCE = {
  name: "open-balance",
  text: `
    insert into refund_balances as balance
      (payment_id, project_id, mode, amount, cap, reserved, completed, refunds, declared)
    values ($1, $2, $3, $4, $5, 0, 0, 0, false)
    on conflict (project_id, payment_id) do update set cap = greatest(balance.cap, excluded.cap)
    returning *`,
};

/** The balance of a payment under lock until the transaction ends; creates it where there is none. */
export async function openBalance(tx: PoolClient, fresh: Balance): Promise<Balance> {
  const { payment_id, project_id, mode, amount, cap } = fresh;
  const values = [payment_id, project_id, mode, amount, cap];
  const { rows } = await tx.query<Balance>({ ...OPEN_BALANCE, types: bigints, values });
  return rows[0] as Balance;
}

const DECLARE = {
  name: "declare-balance",
  text: "update refund_balances set declared = true where project_id = $1 and payment_id = $2",
};

/** After this a merchant's own refunds of the payment may only replace refunds that failed. */
export async function markDeclared(
  tx: PoolClient,
  { project_id, payment_id }: Balance,
): Promise<void> {
  await tx.query({ ...DECLARE, values: [project_id, payment_id] });
}
