import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CountUnusedTransfersRequest, CountUnusedTransfersResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { toAddress, toCurrency, toTxHash } from "@pay/values";
import type { Deps } from "../deps.ts";

/** `known` is false for a hash without settled transfers. */
export async function countUnusedTransfers(
  { prisma }: Deps,
  { tenant, chainId, txHash, recipientAddress, currency }: CountUnusedTransfersRequest,
): Promise<MessageInitShape<typeof CountUnusedTransfersResponseSchema>> {
  const { projectId, mode } = parseTenant(tenant);
  const transfers = await prisma.transfer.findMany({
    where: {
      chain_id: chainId,
      tx_hash: toTxHash(txHash),
      recipient: toAddress(recipientAddress),
      currency: toCurrency(currency),
    },
    select: {
      allocations: { where: { project_id: projectId, mode }, select: { transfer_id: true } },
    },
  });
  const unused = transfers.filter(({ allocations }) => allocations.length === 0).length;
  return { known: transfers.length > 0, unused };
}
