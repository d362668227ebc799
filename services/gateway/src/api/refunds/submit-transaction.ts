import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { findProject } from "../../projects/storage.ts";

interface Submission {
  id: string;
  txHash: string;
}

/** A refund may be paid out from any wallet that the project names as its own. */
export async function submitRefundTransaction(
  { caller, services }: Pick<Call, "caller" | "services">,
  { prisma }: Pick<Deps, "prisma">,
  submission: Submission,
) {
  const project = await findProject(prisma, caller.projectId);
  const payoutWallets = project?.payout_wallets ?? [];
  return services.refunds.submitRefundTransaction({ ...submission, payoutWallets });
}
