// All queries of the service. Each names project and mode and skips erased customers, so another project's customer is
// absent like an unknown one. A change is one statement that also writes its outbox row.
import {
  condition,
  getConstraint,
  type Page,
  type PageRequest,
  parameters,
  selectPage,
  typedParameters,
} from "@pay/database";
import {
  insertWithEvent,
  OUTBOX_COLUMNS,
  OUTBOX_TYPES,
  type OutboxRow,
  outboxValues,
} from "@pay/events";
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import type { Customer } from "../domain/customer.ts";
import { customers } from "../generated/columns.ts";

const { deleted_at: _, ...SHOWN } = customers;
const COLUMNS = Object.keys(SHOWN) as (keyof typeof SHOWN)[];
/** An update writes all columns but those that name the row. */
const UPDATED = COLUMNS.filter((column) => !["id", "project_id", "mode"].includes(column));

const INSERT = insertWithEvent({ name: "insert-customer", table: "customers", columns: COLUMNS });

export function insertCustomer(
  db: Pool | ClientBase,
  customer: Customer,
  event: OutboxRow,
): Promise<void> {
  return withinBounds(async () => {
    const values = [...COLUMNS.map((column) => customer[column]), ...outboxValues(event)];
    await db.query({ ...INSERT, values });
  });
}

const UPDATE = {
  name: "update-customer",
  text: `
    with changed as (
      update customers set (${UPDATED.join(", ")}) = row(${parameters(UPDATED.length, 5)})
      where id = $1 and project_id = $2 and mode = $3 and version = $4 and deleted_at is null
      returning id
    )
    insert into outbox (${OUTBOX_COLUMNS})
    select ${typedParameters(OUTBOX_TYPES, UPDATED.length + 5)} from changed`,
};

/** False when the customer is no longer at the version the change was decided on. */
export function updateCustomer(pool: Pool, customer: Customer, event: OutboxRow): Promise<boolean> {
  return withinBounds(async () => {
    const { id, project_id, mode, version } = customer;
    const values = [id, project_id, mode, version - 1, ...UPDATED.map((name) => customer[name])];
    const { rowCount } = await pool.query({
      ...UPDATE,
      values: [...values, ...outboxValues(event)],
    });
    return rowCount === 1;
  });
}

// The id salts the hash, so that two erased records of one person cannot be linked. The stored
// answer is replaced, not deleted: a creation repeated under its key would create the person again.
const ERASE = {
  name: "erase-customer",
  text: `
    with erased as (update customers set
      wallet_address = 'sha256:' || encode(sha256(convert_to(id || ':' || lower(wallet_address), 'UTF8')), 'hex'),
      email = null, display_name = null, metadata_json = null,
      deleted_at = $4, updated_at = $4, version = version + 1
    where id = $1 and project_id = $2 and mode = $3 and deleted_at is null
    returning id), forgotten as (
      update idempotency_keys set response = $6 from erased where substr(response, 1, 32) = $5::bytea
    )
    select id from erased`,
};

/** False when there is no such customer or it is erased. Stored answers that show the customer become the given one. */
export async function eraseCustomer(
  pool: Pool,
  { projectId, mode }: Tenant,
  id: string,
  { now, answersBegin, answer }: { now: Date; answersBegin: Uint8Array; answer: Uint8Array },
): Promise<boolean> {
  const values = [id, projectId, mode, now, answersBegin, answer];
  const { rowCount } = await pool.query({ ...ERASE, values });
  return rowCount === 1;
}

const FIND = {
  name: "find-customers",
  text: `
    select * from customers
    where project_id = $1 and mode = $2 and id = any($3) and deleted_at is null`,
};

/** In any order. */
export async function findCustomers(
  pool: Pool,
  { projectId, mode }: Tenant,
  ids: readonly string[],
): Promise<Customer[]> {
  const { rows } = await pool.query<Customer>({ ...FIND, values: [projectId, mode, ids] });
  return rows;
}

const FIND_OF_WALLETS = {
  name: "find-customers-of-wallets",
  text: `
    select distinct on (wallet_address) * from customers
    where project_id = $1 and mode = $2 and wallet_address = any($3) and deleted_at is null
    order by wallet_address, created_at, id`,
};

/** The oldest record of each wallet that is not erased: the wallet's payments are linked to it. */
export async function findCustomersOfWallets(
  pool: Pool,
  { projectId, mode }: Tenant,
  wallets: readonly string[],
): Promise<Customer[]> {
  const values = [projectId, mode, wallets];
  const { rows } = await pool.query<Customer>({ ...FIND_OF_WALLETS, values });
  return rows;
}

/**
 * Newest first; the page and the total are of one snapshot. An erased customer keeps its position, so that
 * a list can be continued after it.
 */
export function listCustomers(
  pool: Pool,
  { projectId, mode }: Tenant,
  { page, wallet }: { page: PageRequest; wallet: string | undefined },
): Promise<Page<Customer>> {
  return selectPage<Customer>(pool, {
    table: "customers",
    scope: [...condition("project_id = ?", projectId), ...condition("mode = ?::smallint", mode)],
    filter: [
      { text: "deleted_at is null", values: [] },
      ...condition("wallet_address = ?", wallet),
    ],
    kept: wallet === undefined ? { table: "customer_totals", column: "customers" } : undefined,
    page,
  });
}

const BOUNDS: Readonly<Record<string, string>> = {
  customers_email_bounded: "email must be 3 to 254 characters",
  customers_display_name_bounded: "displayName must be 1 to 100 characters",
  customers_metadata_object: "metadata must be an object",
};

/** What a merchant reads for a violated bound of the database. */
async function withinBounds<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const message = BOUNDS[getConstraint(error) ?? ""];
    if (message === undefined) throw error;
    throw new Failure("field_invalid", message, { cause: error });
  }
}
