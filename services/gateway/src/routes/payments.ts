import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Payment } from "@pay/proto";
import { z } from "zod";
import { tenantOf } from "../caller.ts";
import type { Deps } from "../deps.ts";
import * as field from "../fields.ts";
import { type Call, route } from "../route.ts";
import {
  createdPayment,
  PAYMENT_EXTRAS,
  PAYMENT_RELATIONS,
  paymentItem,
  readPayment,
  renderCreated,
  renderItem,
  renderRead,
} from "../shapes/payment.ts";
import { PAYMENT_STATUSES } from "../shapes/payment-statuses.ts";
import { listShape } from "../shapes/shape.ts";
import { type Owner, ownerOf, ownPayment } from "../sso/ownership.ts";
import { given, markReplay, repeatable } from "./call.ts";
import { checkCustomer, chosenVariant, orderOf, paymentCreation, variantOf } from "./order.ts";
import { pageOf, rendersNothing, rendersPage } from "./page.ts";
import { relationsOf } from "./relations.ts";

const expand = field.listOf([...PAYMENT_EXTRAS, ...PAYMENT_RELATIONS]).optional();
const filters = z.object({
  ...field.pageFields("pay"),
  status: field.listOf(PAYMENT_STATUSES).optional(),
  orderId: field.reference(128).optional(),
  chainId: field.queryInteger(Number.MAX_SAFE_INTEGER, "be a positive integer").optional(),
  createdFrom: field.time().optional(),
  createdTo: field.time().optional(),
  txHash: field.txHash().optional(),
  customerId: field.idOf("cust").optional(),
  expand,
});

const listPayments = async (call: Call<z.output<typeof filters>>, deps: Deps, owner?: Owner) => {
  const { caller, query } = call;
  const variant = chosenVariant(call);
  const { createdFrom, createdTo } = query;
  const answer = await deps.payments.listPayments(
    {
      tenant: tenantOf(caller),
      page: pageOf(query),
      statuses: query.status ?? [],
      ...given("variant", variant),
      ...given("orderId", query.orderId),
      ...given("chainId", query.chainId === undefined ? undefined : BigInt(query.chainId)),
      ...given("txHash", query.txHash),
      ...given("customerId", query.customerId),
      ...given("createdFrom", createdFrom && timestampFromDate(createdFrom)),
      ...given("createdTo", createdTo && timestampFromDate(createdTo)),
      ...given("owner", owner),
    },
    deps.callOptions(call),
  );
  const relations = await relationsOf(call, deps, answer.payments);
  const items = answer.payments.map((payment, at) => ({
    ...renderItem(payment, query.expand),
    ...relations[at],
  }));
  return rendersPage(call, answer, items);
};

const showPayment = async (
  call: Call<{ expand?: z.output<typeof expand> }>,
  deps: Deps,
  payment: Payment,
) => {
  const [relations] = await relationsOf(call, deps, [payment]);
  return { ...renderRead(payment, call.query.expand), ...relations };
};

const payments = { auth: "secret", tag: "Payments", limit: "standard" } as const;
const PAYMENT = { prefix: "pay", noun: "Payment" } as const;

export const paymentRoutes = [
  route({
    ...payments,
    method: "POST",
    path: "/v1/payments",
    scope: "payments:write",
    summary: "Create a payment",
    body: paymentCreation,
    response: createdPayment,
    success: 201,
    handle: async (call, deps) => {
      const { body, caller, requestId } = call;
      const variant = variantOf(call, body);
      await checkCustomer(call, deps, body.customerId);
      const order = { ...orderOf(caller, body), tenant: tenantOf(caller), requestId, variant };
      const answer = await deps.createPayment({ ...order, ...repeatable(call, String(variant)) });
      markReplay(call, answer);
      return renderCreated(answer.payment);
    },
  }),
  route({
    ...payments,
    method: "GET",
    path: "/v1/payments/{id}",
    id: PAYMENT,
    scope: "payments:read",
    summary: "Read a payment",
    query: z.object({ expand }),
    response: readPayment,
    success: 200,
    handle: async (call, deps) => {
      const request = { tenant: tenantOf(call.caller), id: call.params.id };
      return showPayment(call, deps, await deps.getPayment(request));
    },
    session: {
      handle: async (call, deps) =>
        showPayment(call, deps, await ownPayment(call, deps, call.params.id)),
    },
  }),
  route({
    ...payments,
    method: "GET",
    path: "/v1/payments",
    scope: "payments:read",
    summary: "List payments, newest first",
    query: filters,
    response: listShape(paymentItem),
    success: 200,
    handle: (call, deps) => listPayments(call, deps),
    session: {
      handle: async (call, deps) => {
        const owner = await ownerOf(call, deps);
        return owner === undefined ? rendersNothing(call) : listPayments(call, deps, owner);
      },
    },
  }),
];
