import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BatchGetTransfersRequest, BatchGetTransfersResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findCountedTransfers } from "../generated/sql.ts";
import { toTransfer } from "../messages.ts";

/** The settled transfers that count for these payments or refunds. */
export async function getTransfers(
  { pool }: Deps,
  { tenant, subjectIds }: BatchGetTransfersRequest,
): Promise<MessageInitShape<typeof BatchGetTransfersResponseSchema>> {
  const transfers = await findCountedTransfers(pool, { ...parseTenant(tenant), subjectIds });
  return { transfers: transfers.map(toTransfer) };
}
