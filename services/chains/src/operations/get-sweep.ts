import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GetSweepRequest, GetSweepResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import {
  checksumAddress,
  sweepTransaction,
  toAddress,
  toCurrency,
  toDepositSalt,
} from "@pay/values";
import type { Deps } from "../deps.ts";

/** The same on every chain, so money of a wrong chain or currency comes home as well. */
export async function getSweep(
  { prisma }: Deps,
  { tenant, paymentId, currency }: GetSweepRequest,
): Promise<MessageInitShape<typeof GetSweepResponseSchema>> {
  const { projectId: project_id, mode } = parseTenant(tenant);
  const deposit = await prisma.depositAddress.findFirst({
    where: { project_id, mode, payment_id: paymentId },
  });
  if (deposit === null) return {};
  const { to, data, gas } = sweepTransaction({
    currency: toCurrency(currency),
    recipient: toAddress(deposit.recipient),
    salts: [toDepositSalt(paymentId)],
  });
  return { sweep: { to: checksumAddress(to), data, gas } };
}
