import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Failure } from "@pay/failures";
import type { ListMovementsRequest, ListMovementsResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { listMovements as list, type Place } from "../books/storage/movements.ts";
import type { Deps } from "../deps.ts";
import { toMovement } from "../messages.ts";

const LIMIT_MAX = 1_000;
const PLACE = /^(\d{1,15})-(\d{1,18})$/;

/** A page of the tenant's records within the time, oldest first. */
export async function listMovements(
  { pool }: Deps,
  { tenant, from, to, limit, after }: ListMovementsRequest,
): Promise<MessageInitShape<typeof ListMovementsResponseSchema>> {
  if (from === undefined || to === undefined || limit < 1 || limit > LIMIT_MAX)
    throw new Failure("call_malformed", `from, to and a limit up to ${LIMIT_MAX} are needed`);
  const movements = await list(pool, parseTenant(tenant), {
    from: timestampDate(from),
    to: timestampDate(to),
    limit,
    after: after === "" ? undefined : toPlace(after),
  });
  const last = movements.length === limit ? movements.at(-1) : undefined;
  return {
    movements: movements.map(toMovement),
    nextAfter: last === undefined ? "" : `${last.recorded_at.getTime()}-${last.transfer_id}`,
  };
}

function toPlace(text: string): Place {
  const [, ms, transferId] = PLACE.exec(text) ?? [];
  if (ms === undefined || transferId === undefined)
    throw new Failure("cursor_unknown", "after must be the end of a page");
  return { recordedAt: new Date(Number(ms)), transferId: BigInt(transferId) };
}
