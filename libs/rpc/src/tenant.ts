import type { Tenant as TenantMessage } from "@pay/proto";
import { Failure } from "./errors.ts";

/** Whose data a request is about; every query names both. */
export interface Tenant {
  projectId: string;
  mode: number;
}

/** A request without a tenant is a fault of the caller's code and is refused, never served across projects. */
export const tenantOf = (tenant: TenantMessage | undefined): Tenant => {
  if (!tenant?.projectId || tenant.mode === 0) {
    throw new Failure("invalid_argument", "A request needs its project and mode");
  }
  return { projectId: tenant.projectId, mode: tenant.mode };
};
