// Transfers are shared by all tenants, so their ids differ between tenants.
import { numberedId, numberOfId, type Tenant } from "@pay/values";

function getReader({ projectId, mode }: Tenant): string {
  return `${projectId} ${mode}`;
}

export function toTransferId(
  owner: Tenant,
  { id, minedAt }: { id: bigint; minedAt: Date },
): string {
  return numberedId("tr", { ms: minedAt.getTime(), number: id, reader: getReader(owner) });
}

/** Undefined for what is no id of a transfer. */
export function readTransferId(owner: Tenant, id: string): bigint | undefined {
  return numberOfId("tr", id, getReader(owner));
}
