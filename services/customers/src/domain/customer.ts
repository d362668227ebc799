import { isDeepStrictEqual } from "node:util";
import type { MessageColumns, RowFrom } from "@pay/database";
import type { CreateCustomerRequest, UpdateCustomerRequest } from "@pay/proto";
import { checksumAddress, isAddress, newId } from "@pay/values";
import type { CustomerModel } from "../generated/prisma/models.ts";

/** A row of the table that is not erased. */
export type Customer = Omit<RowFrom<CustomerModel>, "deleted_at">;

/** The fields of a new customer. */
export type NewCustomer = Omit<MessageColumns<CreateCustomerRequest>, "request_id">;

/** The fields that an update may replace; null keeps the old value. */
export type Replacement = Omit<MessageColumns<UpdateCustomerRequest>, "request_id" | "id">;

/** Undefined when the wallet is no address. */
export function newCustomer(
  tenant: { projectId: string; mode: number },
  given: NewCustomer,
  now: Date,
): Customer | undefined {
  if (!isAddress(given.wallet_address)) return undefined;
  return {
    ...given,
    id: newId("cust"),
    project_id: tenant.projectId,
    mode: tenant.mode,
    wallet_address: checksumAddress(given.wallet_address),
    display_name: normalized(given.display_name),
    created_at: now,
    updated_at: now,
    version: 1,
  };
}

/** The customer with its fields replaced, or undefined when every value stays what it was. */
export function replaceFields(
  customer: Customer,
  replacement: Replacement,
  now: Date,
): Customer | undefined {
  const wanted = { ...replacement, display_name: normalized(replacement.display_name) };
  const columns = Object.keys(wanted) as (keyof Replacement)[];
  const changed = columns.filter((column) => !isKept(column, wanted[column], customer[column]));
  if (changed.length === 0) return undefined;
  const values = Object.fromEntries(changed.map((column) => [column, wanted[column] || null]));
  return { ...customer, ...values, updated_at: now, version: customer.version + 1 };
}

/** The customer without anything of the person, as its last event shows it. */
export function eraseFields(customer: Customer, now: Date): Customer {
  return {
    ...customer,
    wallet_address: "",
    email: null,
    display_name: null,
    metadata_json: null,
    updated_at: now,
    version: customer.version + 1,
  };
}

function normalized(name: string | null): string | null {
  return name?.normalize("NFC") ?? null;
}

function isKept(column: keyof Replacement, wanted: string | null, stored: string | null): boolean {
  if (wanted === null) return true;
  if (wanted === "") return stored === null;
  return column === "metadata_json" ? isSameJson(wanted, stored) : wanted === stored;
}

// Another order of the keys is another text but no other value.
function isSameJson(text: string, stored: string | null): boolean {
  return (
    stored !== null && (text === stored || isDeepStrictEqual(JSON.parse(text), JSON.parse(stored)))
  );
}
