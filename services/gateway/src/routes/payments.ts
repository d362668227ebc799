import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { checksumAddress } from "@pay/money";
import { type CreatePaymentSchema, Variant } from "@pay/proto";
import { Failure } from "@pay/rpc";
import { z } from "zod";
import { type Caller, tenantOf } from "../caller.ts";
import * as field from "../fields.ts";
import { type Call, route } from "../route.ts";
import {
  createdPayment,
  PAYMENT_STATUSES,
  paymentItem,
  readPayment,
  renderCreated,
  renderItem,
  renderRead,
} from "../shapes/payment.ts";
import { listShape } from "../shapes/shape.ts";
import { pageOf, rendersPage } from "./page.ts";

const MINUTES_MAX = 10_080;

const creation = z.object({
  amount: field.amount(),
  chainId: field.chainId(),
  currency: field.currency(),
  recipientAddress: field.address(),
  description: field.text(500).optional(),
  metadata: field.metadata().optional(),
  qrMode: field.flag().optional(),
  orderId: field.reference(128).optional(),
  expiresInMinutes: field.integer(1, MINUTES_MAX).optional(),
  customerId: field.idOf("cust").optional(),
});

type Creation = z.output<typeof creation>;

const filters = z.object({
  ...field.pageFields("pay"),
  status: field.listOf(PAYMENT_STATUSES).optional(),
  orderId: field.reference(128).optional(),
  chainId: field.queryInteger(Number.MAX_SAFE_INTEGER, "be a positive integer").optional(),
  createdFrom: field.time().optional(),
  createdTo: field.time().optional(),
  txHash: field.txHash().optional(),
  customerId: field.idOf("cust").optional(),
});

const VARIANTS: Record<string, Variant> = { primary: Variant.PRIMARY, b: Variant.B };

/** The shape a header or the project has settled on. */
const chosenVariant = (call: Pick<Call, "caller" | "header">): Variant | undefined => {
  const header = call.header("x-service-variant");
  const name = header?.toLowerCase() ?? call.caller.variant;
  if (name === null) return undefined;
  const variant = VARIANTS[name];
  if (variant === undefined) {
    throw new Failure("invalid_argument", "X-Service-Variant must be primary or b");
  }
  return variant;
};

/** Otherwise the fields tell: only the older shape has an order id and a lifetime, only the newer one the rest. */
const variantOf = (call: Pick<Call, "caller" | "header">, body: Creation): Variant => {
  const older = body.orderId !== undefined || body.expiresInMinutes !== undefined;
  const newer = body.qrMode !== undefined || body.metadata !== undefined;
  return chosenVariant(call) ?? (older && !newer ? Variant.B : Variant.PRIMARY);
};

const orderOf = (caller: Caller, body: Creation) => {
  const order: MessageInitShape<typeof CreatePaymentSchema> = {
    amount: body.amount,
    chainId: BigInt(body.chainId),
    currency: body.currency,
    recipientAddress: checksumAddress(body.recipientAddress),
    qrMode: body.qrMode ?? false,
    expiresInMinutes: body.expiresInMinutes ?? caller.paymentLifetimeMinutes,
  };
  if (body.description !== undefined) order.description = body.description;
  if (body.metadata !== undefined) order.metadataJson = JSON.stringify(body.metadata);
  if (body.orderId !== undefined) order.orderId = body.orderId;
  if (body.customerId !== undefined) order.customerId = body.customerId;
  return order;
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
    body: creation,
    response: createdPayment,
    success: 201,
    handle: async (call, { createPayment }) => {
      const { body, caller, requestId } = call;
      const variant = variantOf(call, body);
      const order = { ...orderOf(caller, body), tenant: tenantOf(caller), requestId, variant };
      const idempotency = call.idempotency(String(variant));
      const { payment, replayed } = await createPayment(
        idempotency === undefined ? order : { ...order, idempotency },
      );
      if (replayed) call.reply("Idempotent-Replayed", "true");
      return renderCreated(payment);
    },
  }),
  route({
    ...payments,
    method: "GET",
    path: "/v1/payments/{id}",
    id: PAYMENT,
    scope: "payments:read",
    summary: "Read a payment",
    response: readPayment,
    success: 200,
    handle: async ({ caller, params }, { getPayment }) =>
      renderRead(await getPayment({ tenant: tenantOf(caller), id: params.id })),
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
    handle: async (call, deps) => {
      const { caller, query } = call;
      const variant = chosenVariant(call);
      const { createdFrom, createdTo } = query;
      const answer = await deps.payments.listPayments(
        {
          tenant: tenantOf(caller),
          page: pageOf(query),
          statuses: query.status ?? [],
          ...(variant === undefined ? {} : { variant }),
          ...(query.orderId === undefined ? {} : { orderId: query.orderId }),
          ...(query.chainId === undefined ? {} : { chainId: BigInt(query.chainId) }),
          ...(query.txHash === undefined ? {} : { txHash: query.txHash }),
          ...(query.customerId === undefined ? {} : { customerId: query.customerId }),
          ...(createdFrom && { createdFrom: timestampFromDate(createdFrom) }),
          ...(createdTo && { createdTo: timestampFromDate(createdTo) }),
        },
        deps.callOptions(call),
      );
      return rendersPage(call, answer, answer.payments.map(renderItem));
    },
  }),
];
