import type { MessageInitShape } from "@bufbuild/protobuf";
import { listCost, parsePage } from "@pay/database";
import { Failure } from "@pay/failures";
import type { ListUndecidedPaymentsRequest, ListUndecidedPaymentsResponseSchema } from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findUndecidedPayments } from "../generated/sql.ts";
import { toMessage } from "../messages.ts";
import type { Position } from "../storage/listing/conditions.ts";
import { findPosition } from "../storage/listing/page.ts";

/** Later than every payment. */
const NEWEST: Position = { created_at: new Date("9999-12-31"), id: "" };

/** Newest first; it counts nothing, so that asking often costs little. */
export async function listUndecidedPayments(
  { lists }: Deps,
  request: ListUndecidedPaymentsRequest,
  { deadline }: CallContext,
): Promise<MessageInitShape<typeof ListUndecidedPaymentsResponseSchema>> {
  const tenant = parseTenant(request.tenant);
  const page = parsePage(request.page);
  const { limit, after } = page;
  const cost = { rows: listCost(page), deadline };
  const rows = await lists.take(tenant.projectId, cost, async () => {
    const position =
      after === "" ? NEWEST : await findPosition(lists.pool, tenant, undefined, after);
    if (position === undefined) {
      throw new Failure("cursor_unknown", "after must be the id of a payment of this project");
    }
    const { created_at: createdAt, id } = position;
    return findUndecidedPayments(lists.pool, { ...tenant, createdAt, id, limit });
  });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { payments: rows.map(toMessage), nextAfter: last?.id ?? "" };
}
