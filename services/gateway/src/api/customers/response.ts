import type { Customer } from "@pay/proto";
import { ADDRESS } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, type MessageFields, pick } from "../response-fields.ts";

const FIELDS = {
  id: { schema: shown.id("cust"), of: (c) => c.id },
  walletAddress: { schema: shown.string("Wallet address.", ADDRESS), of: (c) => c.walletAddress },
  email: {
    schema: shown.stringOrNull("Email address.", "zoe@shop.example"),
    of: (c) => c.email ?? null,
  },
  displayName: {
    schema: shown.stringOrNull("Display name.", "Zoë"),
    of: (c) => c.displayName ?? null,
  },
  metadata: { schema: shown.metadata, of: (c) => shown.toMetadata(c.metadataJson) },
  createdAt: { schema: shown.createdAt, of: (c) => shown.isoTime(c.createdAt) },
} satisfies MessageFields<
  Customer,
  "projectId" | "mode" | "version" | "metadataJson" | "updatedAt"
>;

type Field = keyof typeof FIELDS;

const CREATED = [
  "id",
  "walletAddress",
  "email",
  "displayName",
  "metadata",
  "createdAt",
] as const satisfies readonly Field[];
const READ = [
  "id",
  "walletAddress",
  "displayName",
  "createdAt",
] as const satisfies readonly Field[];
const UPDATED = ["id", "displayName", "metadata"] as const satisfies readonly Field[];

/** Fields that an answer shows only when the request names them. A list never shows the e-mail address. */
export const CUSTOMER_EXTRAS = ["metadata", "email"] as const satisfies readonly Field[];
export const CUSTOMER_ITEM_EXTRAS = ["metadata"] as const satisfies readonly Field[];

/** Those of them that a shopper's session may ask for. In a list it may ask for none. */
export const CUSTOMER_EXTRAS_OF_SESSIONS = [
  "email",
] as const satisfies readonly (typeof CUSTOMER_EXTRAS)[number][];

export function renderCreatedCustomer(customer: Customer) {
  return pick(FIELDS, CREATED, customer);
}

export function renderCustomer(
  customer: Customer,
  extras: readonly (typeof CUSTOMER_EXTRAS)[number][] = [],
) {
  return pick(FIELDS, READ, customer, extras);
}

export function renderUpdatedCustomer(customer: Customer) {
  return pick(FIELDS, UPDATED, customer);
}

export const createdCustomer = buildShape("CreatedCustomer", FIELDS, CREATED);
export const readCustomer = buildShape("Customer", FIELDS, READ, CUSTOMER_EXTRAS);
export const customerItem = buildShape("CustomerItem", FIELDS, READ, CUSTOMER_ITEM_EXTRAS);
export const updatedCustomer = buildShape("UpdatedCustomer", FIELDS, UPDATED);
