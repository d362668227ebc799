// All queries of the service. Each names project and mode and skips erased customers, so another project's customer is
// absent like an unknown one. A change is one statement that also writes its outbox row.
import {
  type AllWritten,
  type Condition,
  condition,
  getConstraint,
  type Page,
  type PageRequest,
  type Queryable,
  selectPage,
} from "@pay/database";
import { eventRow, type OutboxRow } from "@pay/events";
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import type { Customer } from "../domain/customer.ts";
import type { PrismaClient } from "../generated/prisma/client.ts";
import {
  eraseCustomer as erase,
  findCustomersOfWallets as findOfWallets,
  type InsertCustomerCustomers,
  insertCustomer as insert,
  updateCustomer as update,
} from "../generated/sql.ts";

// A column that the insertion does not write does not compile.
true satisfies AllWritten<Exclude<keyof Customer, keyof InsertCustomerCustomers>>;

export function insertCustomer(
  db: Queryable,
  customer: Customer,
  event: OutboxRow,
): Promise<number> {
  return withinBounds(() => insert(db, { customers: [{ ...customer, ...eventRow(event) }] }));
}

/** False when the customer is no longer at the version the change was decided on. */
export function updateCustomer(
  db: Queryable,
  customer: Customer,
  event: OutboxRow,
): Promise<boolean> {
  return withinBounds(async () => {
    const changed = await update(db, { customers: [{ ...customer, ...eventRow(event) }] });
    return changed === 1;
  });
}

/**
 * False when the customer is no longer at the version the erasure was decided on. Stored responses that show the
 * customer become the given one.
 */
export async function eraseCustomer(
  db: Queryable,
  { customer, event }: { customer: Customer; event: OutboxRow },
  responses: { responseStart: Uint8Array; response: Uint8Array },
): Promise<boolean> {
  const customers = [{ ...customer, ...eventRow(event) }];
  return (await erase(db, { customers, ...responses })) === 1;
}

/** In any order. */
export function findCustomers(
  prisma: PrismaClient,
  { projectId, mode }: Tenant,
  ids: readonly string[],
): Promise<Customer[]> {
  return prisma.customer.findMany({
    where: { project_id: projectId, mode, id: { in: [...ids] }, deleted_at: null },
    omit: { deleted_at: true },
  });
}

export function findCustomersOfWallets(
  db: Queryable,
  { projectId, mode }: Tenant,
  wallets: readonly string[],
): Promise<Customer[]> {
  return findOfWallets(db, { projectId, mode, wallets });
}

export interface CustomerQuery {
  page: PageRequest;
  wallet?: string | undefined;
  /** Beginning of the display name, in any case. */
  name?: string | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
}

/**
 * Newest first; the page and the total are of one snapshot. An erased customer keeps its position, so that
 * a list can be continued after it.
 */
export function listCustomers(
  pool: Pool,
  { projectId, mode }: Tenant,
  { page, wallet, name, createdFrom, createdTo }: CustomerQuery,
): Promise<Page<Customer>> {
  const narrow = [
    ...condition("wallet_address = ?", wallet),
    ...(name === undefined ? [] : [beginsWith(name)]),
    ...condition("created_at >= ?::timestamptz", createdFrom),
    ...condition("created_at <= ?::timestamptz", createdTo),
  ];
  return selectPage<Customer>(pool, {
    table: "customers",
    scope: [...condition("project_id = ?", projectId), ...condition("mode = ?::smallint", mode)],
    filter: [{ text: "deleted_at is null", values: [] }, ...narrow],
    kept: narrow.length === 0 ? { table: "customer_totals", column: "customers" } : undefined,
    page,
  });
}

/** From the beginning itself to its continuation by the last character there is. */
function beginsWith(name: string): Condition {
  const key = 'lower(display_name) collate "C"';
  return {
    text: `display_name is not null and ${key} >= lower(?) and ${key} <= lower(?) || chr(1114111)`,
    values: [name, name],
  };
}

const BOUNDS: Readonly<Record<string, string>> = {
  customers_email_bounded: "email must be 3 to 254 characters",
  customers_display_name_bounded: "displayName must be 1 to 100 characters",
  customers_metadata_object: "metadata must be an object",
};

/** Explains a violated bound of the database to a merchant. */
async function withinBounds<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const message = BOUNDS[getConstraint(error) ?? ""];
    if (message === undefined) throw error;
    throw new Failure("field_invalid", message, { cause: error });
  }
}
