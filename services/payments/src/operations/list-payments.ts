import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { pageOf } from "@pay/database";
import type { ListPaymentsRequest, ListPaymentsResponseSchema } from "@pay/proto";
import { Failure, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import type { Filter } from "../listing/conditions.ts";
import { findPage, findPosition, type Position } from "../listing/page.ts";
import { toMessage } from "../wire.ts";

/** Newest first, ids breaking ties; walking by `after` neither repeats nor skips while rows are added. */
export const listPayments = async (
  deps: Deps,
  request: ListPaymentsRequest,
): Promise<MessageInitShape<typeof ListPaymentsResponseSchema>> => {
  const { page, limit } = pageOf(request.page);
  const after = await seenUpTo(deps, request);
  const offset = after === undefined ? (page - 1) * limit : 0;
  const { payments, total } = await findPage(
    deps.db.pool,
    tenantOf(request.tenant),
    filterOf(request),
    { limit, offset, after },
  );
  return {
    payments: payments.map(toMessage),
    total,
    nextAfter: payments.length === limit ? (payments.at(-1)?.id ?? "") : "",
  };
};

const date = (timestamp: Timestamp | undefined) => timestamp && timestampDate(timestamp);

const filterOf = (request: ListPaymentsRequest): Filter => ({
  ...request,
  createdFrom: date(request.createdFrom),
  createdTo: date(request.createdTo),
});

const seenUpTo = async (
  deps: Deps,
  { tenant, page, owner }: ListPaymentsRequest,
): Promise<Position | undefined> => {
  if (!page?.after) return undefined;
  const position = await findPosition(deps.db.pool, tenantOf(tenant), owner, page.after);
  if (position !== undefined) return position;
  throw new Failure("invalid_argument", "after must be the id of a payment of this project");
};
