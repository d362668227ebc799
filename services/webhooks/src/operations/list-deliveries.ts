import type { MessageInitShape } from "@bufbuild/protobuf";
import { type ListDeliveriesRequest, type ListDeliveriesResponseSchema, Mode } from "@pay/proto";
import { Failure } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import * as log from "../storage/log.ts";
import { toMessage } from "../wire.ts";

const LIMIT_MAX = 100;

export const listDeliveries = async (
  { db }: Deps,
  { tenant, page, resourceId }: ListDeliveriesRequest,
): Promise<MessageInitShape<typeof ListDeliveriesResponseSchema>> => {
  if (!tenant?.projectId || tenant.mode === Mode.UNSPECIFIED || page === undefined) {
    throw new Failure("invalid_argument", "tenant and page are required");
  }
  const limit = Math.max(1, Math.min(page.limit, LIMIT_MAX));
  const offset = (Math.max(1, page.page) - 1) * limit;
  const { projectId, mode } = tenant;
  const { deliveries, total } = await log.listDeliveries(db.pool, {
    ...{ projectId, mode, resourceId, limit, offset },
  });
  return { deliveries: deliveries.map(toMessage), total };
};
