import { Failure } from "@pay/failures";
import type { Tenant as TenantMessage } from "@pay/proto";

/** The owner of the data a request is about; every query names both. */
export interface Tenant {
  projectId: string;
  mode: number;
}

/** A request without a tenant is a bug of the caller. It is refused, because it would read across projects. */
export function parseTenant(tenant: TenantMessage | undefined): Tenant {
  if (!tenant?.projectId || tenant.mode === 0) {
    throw new Failure("call_malformed", "A request needs its project and mode");
  }
  return { projectId: tenant.projectId, mode: tenant.mode };
}
