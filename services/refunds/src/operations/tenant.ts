import type { Tenant as TenantMessage } from "@pay/proto";
import { Failure } from "@pay/rpc";
import type { Tenant } from "../storage.ts";

/** A request without a tenant is a fault of the caller's code and is refused, never served across projects. */
export const tenantOf = (tenant: TenantMessage | undefined): Tenant => {
  if (!tenant?.projectId || tenant.mode === 0) {
    throw new Failure("invalid_argument", "A request needs its project and mode");
  }
  return { projectId: tenant.projectId, mode: tenant.mode };
};
