import { Failure } from "@pay/failures";
import { isId } from "@pay/values";
import { z } from "zod";
import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import { route } from "../../pipeline/route.ts";
import { findOwnRefund } from "../../sessions/ownership.ts";
import { TX_HASH } from "../example-values.ts";
import * as field from "../fields.ts";
import { listShape, requireField } from "../response-fields.ts";
import { checkRequester, toLimits } from "./limited-members.ts";
import { listOwnRefunds, listRefunds } from "./list.ts";
import { withNamingRights } from "./naming-rights.ts";
import { refundCreation, refundDestination, refundExpansion, refundFilters } from "./request.ts";
import {
  createdRefund,
  REFUND_EXTRAS_OF_SESSIONS,
  REFUND_ITEM_EXTRAS_OF_SESSIONS,
  readRefund,
  refundItem,
  renderCreatedRefund,
  renderRefund,
} from "./response.ts";
import { submitRefundTransaction } from "./submit-transaction.ts";

const refunds = { auth: "secret", tag: "Refunds", limit: "standard" } as const;
const REFUND = { prefix: "refund", noun: "Refund" } as const;
const changing = {
  ...refunds,
  id: REFUND,
  scope: "refunds:write",
  limited: true,
  audit: { ofKeys: true, values: ["txHash"] },
  response: readRefund,
  success: 200,
} as const;

export const createRefundRoute = route({
  ...refunds,
  scope: "refunds:write",
  limited: true,
  summary: "Refund what a payment received, in whole or in part",
  audit: { ofKeys: true, values: ["paymentId", "amount", "surplus"] },
  example: {
    request: { amount: "2.50", reason: "One mug was broken" },
    response: { amount: "2.50" },
  },
  query: refundExpansion,
  body: refundCreation,
  response: createdRefund,
  success: 201,
  failures: [
    "payment_not_found",
    "payment_not_refundable",
    "payment_fully_refunded",
    "refund_amount_required",
    "refund_amount_too_large",
    "refund_currency_unsupported",
    "refund_count_exhausted",
    "refund_destination_required",
    "refund_destination_invalid",
    "refund_destination_forbidden",
    "refund_limit_exceeded",
  ],
  handle: async (call) => {
    const { body, caller, query, services } = call;
    if (!isId("pay", body.paymentId)) throw new Failure("payment_not_found", "Payment not found");
    const { paymentId, amount, reason, destinationAddress, surplus } = body;
    const idempotency = call.idempotency();
    const answer = await withNamingRights(caller, (rights) =>
      services.refunds.createRefund({
        paymentId,
        amount,
        reason,
        destinationAddress,
        surplus,
        requestedBy: caller.actor,
        limits: toLimits(caller),
        idempotency,
        ...rights,
      }),
    );
    call.noteReplay(answer);
    return renderCreatedRefund(requireField(answer.refund), query.expand);
  },
});

export const readRefundRoute = route({
  ...refunds,
  id: REFUND,
  scope: "refunds:read",
  summary: "Read a refund",
  example: { response: { status: "completed", amount: "2.50", txHash: TX_HASH } },
  query: refundExpansion,
  response: readRefund,
  success: 200,
  handle: async ({ params, query, services }) => {
    const { refund } = await services.refunds.getRefund({ id: params.id });
    return renderRefund(requireField(refund), query.expand);
  },
  session: {
    shown: REFUND_EXTRAS_OF_SESSIONS,
    handle: async (call) =>
      renderRefund(await findOwnRefund(call, call.params.id), call.query.expand),
  },
});

export const listRefundsRoute = route({
  ...refunds,
  scope: "refunds:read",
  summary: "List refunds, newest first",
  query: refundFilters,
  response: listShape("RefundList", refundItem),
  success: 200,
  handle: (call) => listRefunds(call),
  session: { shown: REFUND_ITEM_EXTRAS_OF_SESSIONS, handle: listOwnRefunds },
});

export const submitRefundTransactionRoute = route({
  ...changing,
  summary: "Submit the transaction hash of a refund",
  body: z.object({ txHash: field.txHash() }),
  failures: [
    "refund_status_invalid",
    "refund_transactions_exhausted",
    "refund_service_signed",
    "state_contended",
  ],
  handle: (call, deps) =>
    forwardOnce(deps, call, {
      permit: () => checkRequester(call),
      write: async () => {
        const submission = { id: call.params.id, txHash: call.body.txHash };
        const { refund } = await submitRefundTransaction(call, deps, submission);
        return renderRefund(requireField(refund));
      },
    }),
});

export const setRefundDestinationRoute = route({
  ...changing,
  summary: "Set the destination of a refund that needs one",
  body: refundDestination,
  failures: [
    "refund_destination_invalid",
    "refund_destination_forbidden",
    "refund_status_invalid",
    "state_contended",
  ],
  handle: (call, deps) =>
    forwardOnce(deps, call, {
      permit: () => checkRequester(call),
      write: async () => {
        const { params, body, caller, services } = call;
        const { destinationAddress } = body;
        const { refund } = await withNamingRights(caller, (rights) =>
          services.refunds.setRefundDestination({ id: params.id, destinationAddress, ...rights }),
        );
        return renderRefund(requireField(refund));
      },
    }),
});

export const cancelRefundRoute = route({
  ...changing,
  summary: "Cancel a refund that no transaction may pay",
  example: { response: { status: "failed" } },
  failures: [
    "refund_status_invalid",
    "refund_transaction_pending",
    "refund_service_signed",
    "state_contended",
  ],
  handle: (call, deps) =>
    forwardOnce(deps, call, {
      permit: () => checkRequester(call),
      write: async () => {
        const { refund } = await call.services.refunds.cancelRefund({ id: call.params.id });
        return renderRefund(requireField(refund));
      },
    }),
});
