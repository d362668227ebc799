import { Failure } from "@pay/failures";
import type { Tenant as TenantMessage } from "@pay/proto";
import { type ChainId, parseChainId, type Tenant } from "@pay/values";

export type { Tenant };

/** A request without a tenant is a bug of the caller. It is refused, because it would read across projects. */
export function parseTenant(tenant: TenantMessage | undefined): Tenant {
  if (!tenant?.projectId || tenant.mode === 0) {
    throw new Failure("call_malformed", "A request needs its project and mode");
  }
  return { projectId: tenant.projectId, mode: tenant.mode };
}

/** A request that names no chain where one is needed is a bug of the caller, as one without a tenant is. */
export function parseChain(chainId: bigint): ChainId {
  const chain = parseChainId(chainId.toString());
  if (chain === undefined) throw new Failure("call_malformed", "A request needs its chain");
  return chain;
}
