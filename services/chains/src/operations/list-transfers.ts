// Transfers to recipients of the tenant, also those that pay nothing.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { listCost, parsePage, readCost } from "@pay/database";
import { Failure } from "@pay/failures";
import type {
  BatchGetTransfersRequest,
  BatchGetTransfersResponseSchema,
  GetTransferRequest,
  GetTransferResponseSchema,
  ListTransfersRequest,
  ListTransfersResponseSchema,
  ListUndecidedTransfersRequest,
  ListUndecidedTransfersResponseSchema,
} from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import { listMerchantTransfers } from "../attribution/storage/merchant-transfers.ts";
import { readTransferId, toTransferId } from "../attribution/transfer-id.ts";
import type { Deps } from "../deps.ts";
import {
  type FindMerchantTransferRow,
  findCountedTransfers,
  findMerchantTransfer,
  listUndecidedTransfers as listUndecided,
} from "../generated/sql.ts";
import { toMerchantTransfer, toTransfer } from "../messages.ts";

export async function listTransfers(
  { lists }: Deps,
  { tenant, page, minedFrom, minedTo, ...wanted }: ListTransfersRequest,
  { deadline }: CallContext,
): Promise<MessageInitShape<typeof ListTransfersResponseSchema>> {
  const owner = parseTenant(tenant);
  const request = parsePage(page);
  const after =
    request.after === "" ? "" : (readTransferId(owner, request.after) ?? UNKNOWN).toString();
  const cost = { rows: listCost(request), deadline };
  const found = await lists.take(owner.projectId, cost, async (spend) => {
    const transfers = await listMerchantTransfers(lists.pool, owner, {
      ...wanted,
      page: { ...request, after },
      minedFrom: minedFrom && timestampDate(minedFrom),
      minedTo: minedTo && timestampDate(minedTo),
    });
    spend(readCost(transfers.searched || transfers.total));
    return transfers;
  });
  const last = found.rows.at(-1);
  return {
    transfers: found.rows.map((row) => toMerchantTransfer(row, getId(owner, row))),
    total: BigInt(found.total),
    nextAfter: found.nextAfter === "" || last === undefined ? "" : getId(owner, last),
  };
}

/** A number beyond that of every transfer. */
const NEWEST = 2n ** 63n - 1n;

/** It counts nothing, so that asking often costs little. */
export async function listUndecidedTransfers(
  { lists }: Deps,
  { tenant, page }: ListUndecidedTransfersRequest,
  { deadline }: CallContext,
): Promise<MessageInitShape<typeof ListUndecidedTransfersResponseSchema>> {
  const owner = parseTenant(tenant);
  const request = parsePage(page);
  const { after, limit } = request;
  const before = after === "" ? NEWEST : (readTransferId(owner, after) ?? UNKNOWN);
  const cost = { rows: listCost(request), deadline };
  const rows = await lists.take(owner.projectId, cost, () =>
    listUndecided(lists.pool, { ...owner, before, limit }),
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    transfers: rows.map((row) => toMerchantTransfer(row, getId(owner, row))),
    nextAfter: last === undefined ? "" : getId(owner, last),
  };
}

export async function getTransfer(
  { pool }: Deps,
  { tenant, id }: GetTransferRequest,
): Promise<MessageInitShape<typeof GetTransferResponseSchema>> {
  const owner = parseTenant(tenant);
  const number = readTransferId(owner, id);
  const [row] =
    number === undefined ? [] : await findMerchantTransfer(pool, { ...owner, id: number });
  if (row === undefined) throw new Failure("transfer_not_found", "Transfer not found");
  return { transfer: toMerchantTransfer(row, getId(owner, row)) };
}

/** The id of no row. */
const UNKNOWN = 0n;

function getId(owner: Tenant, { id, created_at }: FindMerchantTransferRow): string {
  return toTransferId(owner, { id, minedAt: created_at });
}

/** The settled transfers that count for these payments or refunds. */
export async function getTransfers(
  { pool }: Deps,
  { tenant, subjectIds }: BatchGetTransfersRequest,
): Promise<MessageInitShape<typeof BatchGetTransfersResponseSchema>> {
  const transfers = await findCountedTransfers(pool, { ...parseTenant(tenant), subjectIds });
  return { transfers: transfers.map(toTransfer) };
}
