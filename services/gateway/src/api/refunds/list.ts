import { isId } from "@pay/values";
import type { z } from "zod";
import type { Call, ShopperCall } from "../../pipeline/route.ts";
import { findOwner, type Owner, ownsPayment } from "../../sessions/ownership.ts";
import { renderEmptyPage, renderPage } from "../page.ts";
import { type refundFilters, toFilter } from "./request.ts";
import { renderRefundItem } from "./response.ts";

/** With an owner only the refunds of the owner's payments. */
export async function listRefunds(call: Call<z.output<typeof refundFilters>>, owner?: Owner) {
  const { query, services } = call;
  const answer = await services.refunds.listRefunds({ ...toFilter(query), owner });
  const items = answer.refunds.map((refund) => renderRefundItem(refund, query.expand));
  return renderPage(call, answer, items);
}

/** What a shopper lists: refunds of one own payment, or of all. */
export async function listOwnRefunds(call: ShopperCall<z.output<typeof refundFilters>>) {
  const { paymentId } = call.query;
  if (paymentId !== undefined) {
    const own = isId("pay", paymentId) && (await ownsPayment(call, paymentId));
    return own ? listRefunds(call) : renderEmptyPage(call);
  }
  const owner = await findOwner(call);
  return owner === undefined ? renderEmptyPage(call) : listRefunds(call, owner);
}
