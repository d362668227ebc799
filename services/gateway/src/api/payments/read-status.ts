import type { Deps } from "../../pipeline/deps.ts";
import type { FollowedPayment } from "../../streams/streams.ts";
import { renderStatus } from "./status-response.ts";

type StatusDeps = Pick<Deps, "catalog" | "findShop" | "clock">;

export async function showStatus(
  { catalog, findShop, clock }: StatusDeps,
  payment: FollowedPayment,
): Promise<Record<string, unknown>> {
  const [chains, shop] = await Promise.all([catalog.chains(), findShop(payment.projectId)]);
  const chain = chains.find(({ chainId }) => chainId === payment.chainId);
  return renderStatus({ payment, chain, shop, now: clock.now() });
}

/** Made here, because a function that is made where a request is handled keeps the request. */
export function createRenderer(deps: StatusDeps) {
  return (payment: FollowedPayment) => showStatus(deps, payment);
}
