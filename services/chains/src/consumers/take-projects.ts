// The payout wallets of projects: without a hash, what they send is no customer's payment.
import type { EventType } from "@pay/events";
import type { Event } from "@pay/proto";
import { toAddress } from "@pay/values";
import type { ClientBase } from "pg";
import { removePayoutWallets, storeOwnWallets } from "../generated/sql.ts";

export const PROJECT_TYPES = ["project.created", "project.updated"] as const satisfies EventType[];

/** Each event has the whole project; of several the last one decides. */
export async function takeProjects(db: ClientBase, events: readonly Event[]): Promise<void> {
  const listed = new Map(
    events.flatMap(({ resource }) =>
      resource.case === "project" ? [[resource.value.id, resource.value.payoutWallets]] : [],
    ),
  );
  if (listed.size === 0) return;
  await removePayoutWallets(db, { projectIds: [...listed.keys()] });
  const wallets = [...listed].flatMap(([id, addresses]) =>
    addresses.map((address) => ({
      project_id: id,
      address: toAddress(address),
      is_payout: true,
    })),
  );
  await storeOwnWallets(db, { wallets });
}
