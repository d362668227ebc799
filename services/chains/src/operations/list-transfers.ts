// What reached the tenant's recipients, and what of it pays nothing: the inbox of a merchant.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { listCost, pageOf, readCost } from "@pay/database";
import { Failure } from "@pay/failures";
import type {
  GetTransferRequest,
  GetTransferResponseSchema,
  ListTransfersRequest,
  ListTransfersResponseSchema,
} from "@pay/proto";
import { type CallContext, type Tenant, tenantOf } from "@pay/rpc";
import { numberedId, numberOfId } from "@pay/values";
import type { Deps } from "../deps.ts";
import { toArrived } from "../messages.ts";
import { type Arrival, findArrival, listArrivals } from "../storage/arrivals.ts";

export async function listTransfers(
  { lists }: Deps,
  { tenant, page, unmatched, chainId }: ListTransfersRequest,
  { deadline }: CallContext,
): Promise<MessageInitShape<typeof ListTransfersResponseSchema>> {
  const owner = tenantOf(tenant);
  const asked = pageOf(page);
  const after = asked.after === "" ? "" : (numberOf(owner, asked.after) ?? UNKNOWN).toString();
  const cost = { rows: listCost(asked), deadline };
  const found = await lists.take(owner.projectId, cost, async (spend) => {
    const wanted = { page: { ...asked, after }, unmatched, chainId };
    const arrived = await listArrivals(lists.pool, owner, wanted);
    spend(readCost(arrived.total));
    return arrived;
  });
  const last = found.rows.at(-1);
  return {
    transfers: found.rows.map((row) => toArrived(row, idOf(owner, row))),
    total: BigInt(found.total),
    nextAfter: found.nextAfter === "" || last === undefined ? "" : idOf(owner, last),
  };
}

export async function getTransfer(
  { pool }: Deps,
  { tenant, id }: GetTransferRequest,
): Promise<MessageInitShape<typeof GetTransferResponseSchema>> {
  const owner = tenantOf(tenant);
  const number = numberOf(owner, id);
  const row = number === undefined ? undefined : await findArrival(pool, owner, number);
  if (row === undefined) throw new Failure("transfer_not_found", "Transfer not found");
  return { transfer: toArrived(row, idOf(owner, row)) };
}

/** No row has it. */
const UNKNOWN = 0n;

// Transfers are shared by all tenants, so each tenant has ids of its own for them.
function readerOf({ projectId, mode }: Tenant): string {
  return `${projectId} ${mode}`;
}

function idOf(owner: Tenant, { id, created_at }: Arrival): string {
  return numberedId("tr", { ms: created_at.getTime(), number: id, reader: readerOf(owner) });
}

function numberOf(owner: Tenant, id: string): bigint | undefined {
  return numberOfId("tr", id, readerOf(owner));
}
