// Wallets that are screened, as rows.
import { transaction } from "@pay/database";
import type { ScreeningPolicy } from "@pay/values";
import type { Pool } from "pg";
import { queueWallets, toWallet, type Wallet, walletRow } from "../attribution/storage/queue.ts";
import * as sql from "../generated/sql.ts";
import type { ScreeningAnswer } from "./ask.ts";

export interface ScreeningName {
  project_id: string;
  payment_id: string;
  sender: string;
}

/** The answer and the mark of the merchant's wallet, which is decided again, are one transaction. */
export function storeAnswer(
  pool: Pool,
  { project_id, payment_id, sender }: ScreeningName,
  { isBlocked, cause }: ScreeningAnswer,
  now: Date,
): Promise<void> {
  return transaction(pool, async (tx) => {
    const answered = await sql.writeAnswer(tx, {
      projectId: project_id,
      paymentId: payment_id,
      sender,
      isBlocked,
      cause: cause ?? null,
    });
    await queueWallets(tx, answered.map(toWallet), now);
  });
}

export async function requestScreening(
  pool: Pool,
  { wallet, paymentId, sender }: { wallet: Wallet; paymentId: string; sender: string },
  now: Date,
): Promise<void> {
  const screenings = [{ ...walletRow(wallet), payment_id: paymentId, sender }];
  await sql.requestScreenings(pool, { screenings, now });
}

export async function findPolicies(
  pool: Pool,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, ScreeningPolicy>> {
  const rows = await sql.findScreeningPolicies(pool, { projectIds });
  return new Map(
    rows.flatMap(({ project_id, policy }) => (policy === null ? [] : [[project_id, policy]])),
  );
}
