import { isId } from "@pay/money";
import { Failure } from "@pay/rpc";
import { z } from "zod";
import { tenantOf } from "../caller.ts";
import * as field from "../fields.ts";
import { firstAnswer } from "../first-answer.ts";
import { route } from "../route.ts";
import {
  createdRefund,
  REFUND_EXTRAS,
  readRefund,
  refundItem,
  renderCreatedRefund,
  renderRefund,
} from "../shapes/refund.ts";
import { listShape } from "../shapes/shape.ts";
import { ownRefund } from "../sso/ownership.ts";
import { given, markReplay, present, repeatable } from "./call.ts";
import { listOwnRefunds, listRefunds, refundFilters } from "./list-refunds.ts";

const creation = z.object({
  paymentId: field.reference(128),
  amount: field.amount().optional(),
  reason: field.text(500).optional(),
  destinationAddress: field.address().optional(),
});

const expansion = z.object({ expand: field.listOf(REFUND_EXTRAS).optional() });
const refunds = { auth: "secret", tag: "Refunds", limit: "standard" } as const;
const REFUND = { prefix: "refund", noun: "Refund" } as const;

export const refundRoutes = [
  route({
    ...refunds,
    method: "POST",
    path: "/v1/refunds",
    scope: "refunds:write",
    summary: "Refund a confirmed payment, in whole or in part",
    query: expansion,
    body: creation,
    response: createdRefund,
    success: 201,
    handle: async (call, deps) => {
      const { body, caller, query, requestId } = call;
      if (!isId("pay", body.paymentId)) throw new Failure("not_found", "Payment not found");
      const answer = await deps.refunds.createRefund(
        {
          tenant: tenantOf(caller),
          requestId,
          ...repeatable(call),
          paymentId: body.paymentId,
          ...given("amount", body.amount),
          ...given("reason", body.reason),
          ...given("destinationAddress", body.destinationAddress),
        },
        deps.callOptions(call),
      );
      markReplay(call, answer);
      return renderCreatedRefund(present(answer.refund), query.expand);
    },
  }),
  route({
    ...refunds,
    method: "GET",
    path: "/v1/refunds/{id}",
    id: REFUND,
    scope: "refunds:read",
    summary: "Read a refund",
    query: expansion,
    response: readRefund,
    success: 200,
    handle: async (call, deps) => {
      const { caller, params, query } = call;
      const request = { tenant: tenantOf(caller), id: params.id };
      const { refund } = await deps.refunds.getRefund(request, deps.callOptions(call));
      return renderRefund(present(refund), query.expand);
    },
    session: {
      handle: async (call, deps) =>
        renderRefund(await ownRefund(call, deps, call.params.id), call.query.expand),
    },
  }),
  route({
    ...refunds,
    method: "GET",
    path: "/v1/refunds",
    scope: "refunds:read",
    summary: "List refunds, newest first",
    query: refundFilters,
    response: listShape(refundItem),
    success: 200,
    handle: (call, deps) => listRefunds(call, deps),
    session: { handle: listOwnRefunds },
  }),
  route({
    ...refunds,
    method: "POST",
    path: "/v1/refunds/{id}/transaction",
    id: REFUND,
    scope: "refunds:write",
    summary: "Hand in the transaction that pays a refund out",
    body: z.object({ txHash: field.txHash() }),
    response: readRefund,
    success: 200,
    handle: (call, deps) =>
      firstAnswer(deps, call, async () => {
        const { body, caller, params, requestId } = call;
        const { refund } = await deps.refunds.submitRefundTransaction(
          { tenant: tenantOf(caller), requestId, id: params.id, txHash: body.txHash },
          deps.callOptions(call),
        );
        return renderRefund(present(refund));
      }),
  }),
];
