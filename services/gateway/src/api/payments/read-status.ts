import type { Payment } from "@pay/proto";
import type { Deps } from "../../pipeline/deps.ts";
import { renderStatus } from "./status-response.ts";

type StatusDeps = Pick<Deps, "catalog" | "findShop" | "clock">;

export async function showStatus(
  { catalog, findShop, clock }: StatusDeps,
  payment: Payment,
): Promise<Record<string, unknown>> {
  const [chains, shop] = await Promise.all([catalog.chains(), findShop(payment.projectId)]);
  const chain = chains.find(({ chainId }) => chainId === payment.chainId);
  return renderStatus({ payment, chain, shop, now: clock.now() });
}

/** Made here, because a function that is made where a request is handled keeps the request. */
export function rendererOf(deps: StatusDeps) {
  return (payment: Payment) => showStatus(deps, payment);
}
