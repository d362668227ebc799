// What chains has to know of projects: payout wallets, which send no customer's payment without a hash, and which
// wallets are screened.
import type { EventType } from "@pay/events";
import type { Event, ProjectSnapshot } from "@pay/proto";
import { ON_FAIL, type ScreeningPolicy, toAddress } from "@pay/values";
import type { ClientBase } from "pg";
import { removePayoutWallets, storeOwnWallets, storeScreeningPolicies } from "../generated/sql.ts";

export const PROJECT_TYPES = ["project.created", "project.updated"] as const satisfies EventType[];

/** Each event has the whole project; of several the last one decides. */
export async function takeProjects(db: ClientBase, events: readonly Event[]): Promise<void> {
  const listed = new Map(
    events.flatMap(({ resource }) =>
      resource.case === "project" ? [[resource.value.id, resource.value]] : [],
    ),
  );
  if (listed.size === 0) return;
  await removePayoutWallets(db, { projectIds: [...listed.keys()] });
  const wallets = [...listed.values()].flatMap(({ id, payoutWallets }) =>
    payoutWallets.map((address) => ({
      project_id: id,
      address: toAddress(address),
      is_payout: true,
    })),
  );
  await storeOwnWallets(db, { wallets });
  await storeScreeningPolicies(db, {
    policies: [...listed.values()].map(({ id, version, screening }) => ({
      project_id: id,
      version,
      policy: screening === undefined ? null : toPolicy(screening),
    })),
  });
}

function toPolicy({
  oracle,
  list,
  url,
  onFail: given,
}: NonNullable<ProjectSnapshot["screening"]>): ScreeningPolicy {
  const onFail = ON_FAIL.find((one) => one === given) ?? "review";
  if (url !== undefined) return { url, onFail };
  return oracle === undefined
    ? { list: list.map(toAddress), onFail }
    : { oracle: toAddress(oracle), onFail };
}
