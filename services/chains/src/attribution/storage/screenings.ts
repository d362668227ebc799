// What is known of the wallets that pay payments of projects that screen them.
import type { Queryable } from "@pay/database";
import * as sql from "../../generated/sql.ts";
import { type Wallet, walletRow } from "./queue.ts";

export type StoredScreening = sql.FindScreeningsRow;

export interface PaymentName {
  project_id: string;
  payment_id: string;
}

/** Payments at these wallets with an answer that no decision has read. */
export function findAnswered(db: Queryable, wallets: readonly Wallet[]): Promise<PaymentName[]> {
  return sql.findUntoldScreenings(db, { wallets: wallets.map(walletRow) });
}

export async function findScreenings(
  db: Queryable,
  wallets: readonly Wallet[],
  payments: readonly PaymentName[],
) {
  const projectIds = [...new Set(wallets.map(({ projectId }) => projectId))];
  const projects = new Set(
    (await sql.findScreeningProjects(db, { projectIds })).map(({ project_id }) => project_id),
  );
  const rows = await sql.findScreenings(db, { payments });
  return {
    /** Whether wallets that pay are screened, and the known ones by payment. */
    ofWallet: ({ projectId }: Wallet, paymentIds: ReadonlySet<string>) => ({
      isScreening: projects.has(projectId),
      screenings: Map.groupBy(
        rows.filter((row) => row.project_id === projectId && paymentIds.has(row.payment_id)),
        ({ payment_id }) => payment_id,
      ),
    }),
  };
}
