import type { Deps } from "../../pipeline/deps.ts";
import type { FollowedPayment } from "../../streams/streams.ts";
import { findDomain } from "./authorization.ts";
import { isPayable } from "./due.ts";
import { renderStatus } from "./status-response.ts";
import { buildX402Url } from "./x402/x402-url.ts";

export type StatusDeps = Pick<
  Deps,
  | "catalog"
  | "findShop"
  | "findAuthorization"
  | "takesData"
  | "listRefunds"
  | "publicUrl"
  | "peppers"
  | "clock"
>;

/** What the shopper of a payment sees of it. */
export async function showStatus(
  deps: StatusDeps,
  payment: FollowedPayment,
): Promise<Record<string, unknown>> {
  const { catalog, findShop, findAuthorization, takesData, listRefunds, publicUrl, clock } = deps;
  const [chains, shop, refunds] = await Promise.all([
    catalog.chains(),
    findShop(payment.projectId),
    hasRefunds(payment) ? listRefunds(payment) : [],
  ]);
  const chain = chains.find(({ chainId }) => chainId === payment.chainId);
  const seen = { payment, chain, shop: shop.profile, publicUrl, refunds, now: clock.now() };
  const { currency, chainId, recipientAddress, payTo } = payment;
  const withReference =
    payTo === undefined &&
    shop.reference &&
    chain?.refusesTrailingData !== true &&
    isPayable(seen) &&
    (currency !== "native" || (await takesData(chainId, recipientAddress)));
  const canSign = isPayable(seen) && findDomain(payment, chain) !== undefined;
  const authorization = canSign ? await findAuthorization(payment) : undefined;
  const x402Url = canSign ? buildX402Url(deps, payment.id) : null;
  return renderStatus({ ...seen, authorization, withReference, x402Url });
}

/** The payment itself says so, because most pages follow payments without a refund. */
function hasRefunds({ refundedBaseAmount, refundDeclared }: FollowedPayment): boolean {
  return refundedBaseAmount !== undefined || refundDeclared;
}
