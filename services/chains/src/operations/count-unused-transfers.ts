import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CountUnusedTransfersRequest, CountUnusedTransfersResponseSchema } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import { addressOf, currencyOf, txHashOf } from "@pay/values";
import type { Deps } from "../deps.ts";

/** A hash whose settled transfers are known has either something left or nothing; of any other nothing is said. */
export async function countUnusedTransfers(
  { prisma }: Deps,
  { tenant, chainId, txHash, recipientAddress, currency }: CountUnusedTransfersRequest,
): Promise<MessageInitShape<typeof CountUnusedTransfersResponseSchema>> {
  const { projectId, mode } = tenantOf(tenant);
  const transfers = await prisma.transfer.findMany({
    where: {
      chain_id: chainId,
      tx_hash: txHashOf(txHash),
      recipient: addressOf(recipientAddress),
      currency: currencyOf(currency),
    },
    select: {
      allocations: { where: { project_id: projectId, mode }, select: { transfer_id: true } },
    },
  });
  const unused = transfers.filter(({ allocations }) => allocations.length === 0).length;
  return { known: transfers.length > 0, unused };
}
