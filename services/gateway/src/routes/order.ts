// A new payment as merchants ask for it, in either shape of the interface, and as the payments service takes it.
import { Variant } from "@pay/proto";
import { Failure } from "@pay/rpc";
import { z } from "zod";
import { canonicalAddress } from "../address.ts";
import type { Backends } from "../backends.ts";
import { type Caller, tenantOf } from "../caller.ts";
import * as field from "../fields.ts";
import type { Call } from "../route.ts";
import { given } from "./call.ts";

const MINUTES_MAX = 10_080;

export const paymentCreation = z.object({
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

type Creation = z.output<typeof paymentCreation>;

const VARIANTS = new Map([
  ["primary", Variant.PRIMARY],
  ["b", Variant.B],
]);

/** The shape a header or the project has settled on. */
export const chosenVariant = (call: Pick<Call, "caller" | "header">): Variant | undefined => {
  const header = call.header("x-service-variant");
  const name = header?.toLowerCase() ?? call.caller.variant;
  if (name === null) return undefined;
  const variant = VARIANTS.get(name);
  if (variant === undefined) {
    throw new Failure("invalid_argument", "X-Service-Variant must be primary or b");
  }
  return variant;
};

/** Otherwise the fields tell: only the older shape has an order id and a lifetime, only the newer one the rest. */
export const variantOf = (call: Pick<Call, "caller" | "header">, body: Creation): Variant => {
  const older = body.orderId !== undefined || body.expiresInMinutes !== undefined;
  const newer = body.qrMode !== undefined || body.metadata !== undefined;
  return chosenVariant(call) ?? (older && !newer ? Variant.B : Variant.PRIMARY);
};

export const orderOf = (caller: Caller, body: Creation) => ({
  amount: body.amount,
  chainId: BigInt(body.chainId),
  currency: body.currency,
  recipientAddress: canonicalAddress(body.recipientAddress) ?? body.recipientAddress,
  qrMode: body.qrMode ?? false,
  expiresInMinutes: body.expiresInMinutes ?? caller.paymentLifetimeMinutes,
  ...given("description", body.description),
  ...given("metadataJson", body.metadata && JSON.stringify(body.metadata)),
  ...given("orderId", body.orderId),
  ...given("customerId", body.customerId),
});

/** A customer of another project, or of the other mode, is none. */
export const checkCustomer = async (
  call: Pick<Call, "caller" | "requestId">,
  deps: Pick<Backends, "customers" | "callOptions">,
  id: string | undefined,
): Promise<void> => {
  if (id === undefined) return;
  try {
    await deps.customers.getCustomer({ tenant: tenantOf(call.caller), id }, deps.callOptions(call));
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "not_found") throw error;
    throw new Failure("invalid_argument", "customerId must be the id of a customer");
  }
};
