// What reached the tenant's recipients, and what of it pays nothing: the inbox of a merchant.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { listCost, parsePage, readCost } from "@pay/database";
import { Failure } from "@pay/failures";
import type {
  GetTransferRequest,
  GetTransferResponseSchema,
  ListTransfersRequest,
  ListTransfersResponseSchema,
} from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import { numberedId, numberOfId } from "@pay/values";
import { listMerchantTransfers } from "../attribution/storage/merchant-transfers.ts";
import type { Deps } from "../deps.ts";
import { type FindMerchantTransferRow, findMerchantTransfer } from "../generated/sql.ts";
import { toArrived } from "../messages.ts";

export async function listTransfers(
  { lists }: Deps,
  { tenant, page, unmatched, chainId }: ListTransfersRequest,
  { deadline }: CallContext,
): Promise<MessageInitShape<typeof ListTransfersResponseSchema>> {
  const owner = parseTenant(tenant);
  const asked = parsePage(page);
  const after = asked.after === "" ? "" : (toNumber(owner, asked.after) ?? UNKNOWN).toString();
  const cost = { rows: listCost(asked), deadline };
  const found = await lists.take(owner.projectId, cost, async (spend) => {
    const wanted = { page: { ...asked, after }, unmatched, chainId };
    const arrived = await listMerchantTransfers(lists.pool, owner, wanted);
    spend(readCost(arrived.total));
    return arrived;
  });
  const last = found.rows.at(-1);
  return {
    transfers: found.rows.map((row) => toArrived(row, getId(owner, row))),
    total: BigInt(found.total),
    nextAfter: found.nextAfter === "" || last === undefined ? "" : getId(owner, last),
  };
}

export async function getTransfer(
  { pool }: Deps,
  { tenant, id }: GetTransferRequest,
): Promise<MessageInitShape<typeof GetTransferResponseSchema>> {
  const owner = parseTenant(tenant);
  const number = toNumber(owner, id);
  const [row] =
    number === undefined ? [] : await findMerchantTransfer(pool, { ...owner, id: number });
  if (row === undefined) throw new Failure("transfer_not_found", "Transfer not found");
  return { transfer: toArrived(row, getId(owner, row)) };
}

/** No row has it. */
const UNKNOWN = 0n;

// Transfers are shared by all tenants, so each tenant has ids of its own for them.
function getReader({ projectId, mode }: Tenant): string {
  return `${projectId} ${mode}`;
}

function getId(owner: Tenant, { id, created_at }: FindMerchantTransferRow): string {
  return numberedId("tr", { ms: created_at.getTime(), number: id, reader: getReader(owner) });
}

function toNumber(owner: Tenant, id: string): bigint | undefined {
  return numberOfId("tr", id, getReader(owner));
}
