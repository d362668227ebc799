import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CountUnusedTransfersRequest, CountUnusedTransfersResponseSchema } from "@pay/proto";
import type { Deps } from "../deps.ts";

/** A hash whose settled transfers are known has either something left or nothing; of any other nothing is said. */
export const countUnusedTransfers = async (
  { prisma }: Deps,
  { chainId, txHash, recipientAddress, currency }: CountUnusedTransfersRequest,
): Promise<MessageInitShape<typeof CountUnusedTransfersResponseSchema>> => {
  const transfers = await prisma.transfer.findMany({
    where: {
      chain_id: chainId,
      tx_hash: txHash.toLowerCase(),
      recipient: recipientAddress.toLowerCase(),
      currency: currency.toLowerCase(),
    },
    select: { allocation: { select: { transfer_id: true } } },
  });
  const unused = transfers.filter(({ allocation }) => allocation === null).length;
  return { known: transfers.length > 0, unused };
};
