import type { Customer } from "@pay/proto";
import { z } from "zod";
import { isoTime, isoTimeShape, metadataOf, metadataShape, pick, shapeOf } from "./shape.ts";

const FIELDS = {
  id: { schema: z.string(), of: (c: Customer) => c.id },
  walletAddress: { schema: z.string(), of: (c: Customer) => c.walletAddress },
  email: { schema: z.string().nullable(), of: (c: Customer) => c.email ?? null },
  displayName: { schema: z.string().nullable(), of: (c: Customer) => c.displayName ?? null },
  metadata: { schema: metadataShape, of: (c: Customer) => metadataOf(c.metadataJson) },
  createdAt: { schema: isoTimeShape, of: (c: Customer) => isoTime(c.createdAt) },
};

const CREATED = ["id", "walletAddress", "email", "displayName", "metadata", "createdAt"];
const READ = ["id", "walletAddress", "displayName", "createdAt"];
const UPDATED = ["id", "displayName", "metadata"];

/** What an answer shows besides, when it is asked for; an address of e-mail never in a list. */
export const CUSTOMER_EXTRAS = ["metadata", "email"] as const;
export const CUSTOMER_ITEM_EXTRAS = ["metadata"] as const;

export const renderCreatedCustomer = (customer: Customer) => pick(FIELDS, CREATED, customer);
export const renderCustomer = (customer: Customer, extras: readonly string[] = []) =>
  pick(FIELDS, READ, customer, extras);
export const renderUpdatedCustomer = (customer: Customer) => pick(FIELDS, UPDATED, customer);

export const createdCustomer = shapeOf(FIELDS, CREATED);
export const readCustomer = shapeOf(FIELDS, READ, CUSTOMER_EXTRAS);
export const customerItem = shapeOf(FIELDS, READ, CUSTOMER_ITEM_EXTRAS);
export const updatedCustomer = shapeOf(FIELDS, UPDATED);
