import { type AuditTrail, createTrail, isAudited, NO_TRAIL } from "../audit/trail.ts";
import type { Caller } from "../keys/caller.ts";
import type { Deps } from "./deps.ts";
import { toOperationId } from "./operation-id.ts";
import type { Incoming, Route } from "./route.ts";

/** The trail in the audit log of one request of a route. */
export function createTrails(route: Route, deps: Deps) {
  const action = toOperationId(route);
  return (
    { requestId, params, clientAddress }: Incoming,
    caller: Caller,
    body: object,
  ): AuditTrail => {
    if (!isAudited(caller, route)) return NO_TRAIL;
    const { projectId, mode, actor } = caller;
    const request = {
      projectId,
      mode,
      actor,
      action,
      targetId: params.deliveryId ?? params.id ?? null,
      requestId,
      address: clientAddress(),
      fields: body as Record<string, unknown>,
      success: route.success,
    };
    return createTrail(deps, request, route.audit);
  };
}
