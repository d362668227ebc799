import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { parsePage } from "@pay/database";
import { Failure } from "@pay/failures";
import type { ListPaymentsRequest, ListPaymentsResponseSchema } from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { toMessage } from "../messages.ts";
import type { Filter, Position } from "../storage/listing/conditions.ts";
import { estimateCost, estimateCountCost } from "../storage/listing/cost.ts";
import { findPage, findPosition } from "../storage/listing/page.ts";
import { boundSearch, checkSearched } from "../storage/listing/search.ts";
import { showLivingSecret } from "./check-secret.ts";

/** Newest first. Paging by `after` neither repeats nor skips payments while new ones are created. */
export async function listPayments(
  deps: Deps,
  request: ListPaymentsRequest,
  { deadline }: CallContext,
): Promise<MessageInitShape<typeof ListPaymentsResponseSchema>> {
  const tenant = parseTenant(request.tenant);
  const { page, limit, after: last } = parsePage(request.page);
  const offset = last === "" ? (page - 1) * limit : 0;
  const filter = boundSearch(toFilter(request), deps.clock.now());
  const list = { rows: estimateCost(filter, { limit, offset }), deadline };
  const { payments, total } = await deps.lists.take(tenant.projectId, list, async (spend) => {
    const after = await seenUpTo(deps, tenant, request);
    const found = await findPage(deps.lists.pool, tenant, filter, { limit, offset, after });
    spend(estimateCountCost(filter, found));
    checkSearched(filter, found);
    return found;
  });
  return {
    payments: payments.map((payment) => ({
      ...toMessage(payment),
      ...(request.withClientSecret && { clientSecret: showLivingSecret(deps, payment) }),
    })),
    total,
    nextAfter: payments.length === limit ? (payments.at(-1)?.id ?? "") : "",
  };
}

function date(timestamp: Timestamp | undefined) {
  return timestamp && timestampDate(timestamp);
}

function toFilter(request: ListPaymentsRequest): Filter {
  return {
    ...request,
    createdFrom: date(request.createdFrom),
    createdTo: date(request.createdTo),
  };
}

async function seenUpTo(
  deps: Deps,
  tenant: Tenant,
  { page, owner }: ListPaymentsRequest,
): Promise<Position | undefined> {
  if (!page?.after) return undefined;
  const position = await findPosition(deps.lists.pool, tenant, owner, page.after);
  if (position !== undefined) return position;
  throw new Failure("cursor_unknown", "after must be the id of a payment of this project");
}
