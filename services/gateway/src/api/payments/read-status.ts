import type { Payment } from "@pay/proto";
import type { Deps } from "../../pipeline/deps.ts";
import { renderStatus } from "./status-response.ts";

export async function showStatus(
  { catalog, findShop, clock }: Pick<Deps, "catalog" | "findShop" | "clock">,
  payment: Payment,
): Promise<Record<string, unknown>> {
  const [chains, shop] = await Promise.all([catalog.chains(), findShop(payment.projectId)]);
  const chain = chains.find(({ chainId }) => chainId === payment.chainId);
  return renderStatus({ payment, chain, shop, now: clock.now() });
}
