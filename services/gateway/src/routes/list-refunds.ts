import { isId } from "@pay/money";
import { z } from "zod";
import { tenantOf } from "../caller.ts";
import type { Deps } from "../deps.ts";
import * as field from "../fields.ts";
import type { Call, ShopperCall } from "../route.ts";
import { REFUND_ITEM_EXTRAS, REFUND_STATUSES, renderRefundItem } from "../shapes/refund.ts";
import { type Owner, ownerOf, ownsPayment } from "../sso/ownership.ts";
import { given } from "./call.ts";
import { pageOf, rendersNothing, rendersPage } from "./page.ts";

export const refundFilters = z.object({
  ...field.pageFields("refund"),
  paymentId: field.reference(128).optional(),
  status: field.listOf(REFUND_STATUSES).optional(),
  expand: field.listOf(REFUND_ITEM_EXTRAS).optional(),
});

export const listRefunds = async (
  call: Call<z.output<typeof refundFilters>>,
  deps: Deps,
  owner?: Owner,
) => {
  const { caller, query } = call;
  const answer = await deps.refunds.listRefunds(
    {
      tenant: tenantOf(caller),
      page: pageOf(query),
      statuses: query.status ?? [],
      ...given("paymentId", query.paymentId),
      ...given("owner", owner),
    },
    deps.callOptions(call),
  );
  const items = answer.refunds.map((refund) => renderRefundItem(refund, query.expand));
  return rendersPage(call, answer, items);
};

/** What a shopper lists: refunds of one own payment, or of all. */
export const listOwnRefunds = async (
  call: ShopperCall<z.output<typeof refundFilters>>,
  deps: Deps,
) => {
  const { paymentId } = call.query;
  if (paymentId !== undefined) {
    const own = isId("pay", paymentId) && (await ownsPayment(call, deps, paymentId));
    return own ? listRefunds(call, deps) : rendersNothing(call);
  }
  const owner = await ownerOf(call, deps);
  return owner === undefined ? rendersNothing(call) : listRefunds(call, deps, owner);
};
