import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CountUnusedTransfersRequest, CountUnusedTransfersResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { toAddress, toCurrency, toTxHash } from "@pay/values";
import type { Deps } from "../deps.ts";

/** Nobody has named the payment of such a transfer, so a name takes it away until the payment is confirmed. */
const UNNAMED: ReadonlySet<string | null> = new Set(["lone", "group"]);

/** `known` is false for a hash without settled transfers. */
export async function countUnusedTransfers(
  { prisma }: Deps,
  { tenant, chainId, txHash, recipientAddress, currency }: CountUnusedTransfersRequest,
): Promise<MessageInitShape<typeof CountUnusedTransfersResponseSchema>> {
  const { projectId: project_id, mode } = parseTenant(tenant);
  const own = { project_id, mode };
  const transfers = await prisma.transfer.findMany({
    where: {
      chain_id: chainId,
      tx_hash: toTxHash(txHash),
      wallet: toAddress(recipientAddress),
      currency: toCurrency(currency),
    },
    select: {
      allocations: { where: own, select: { subject_id: true } },
      attributions: { where: own, select: { rule: true } },
    },
  });
  const payments = transfers.flatMap(({ allocations, attributions }) =>
    attributions.some(({ rule }) => UNNAMED.has(rule))
      ? allocations.map(({ subject_id }) => subject_id)
      : [],
  );
  const unconfirmed = await prisma.watch.findMany({
    where: { project_id, mode, payment_id: { in: payments }, is_settled: false },
    select: { payment_id: true },
  });
  const open = new Set(unconfirmed.map(({ payment_id }) => payment_id));
  const unused = transfers.filter(({ allocations }) =>
    allocations.every(({ subject_id }) => open.has(subject_id)),
  ).length;
  return { known: transfers.length > 0, unused };
}
