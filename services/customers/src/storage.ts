// All queries of the service. Each names project and mode and passes over the erased, so a stranger's customer is
// as absent as an unknown one. A change is one statement that also writes its outbox row.
import { constraintOf } from "@pay/database";
import { OUTBOX_COLUMNS, type OutboxRow } from "@pay/events";
import { Failure, type Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import type { Customer } from "./domain/customer.ts";
import type { PrismaClient } from "./generated/prisma/client.ts";

const COLUMNS = [
  "id",
  "project_id",
  "mode",
  "wallet_address",
  "email",
  "display_name",
  "metadata_json",
  "created_at",
  "updated_at",
  "version",
] as const satisfies (keyof Customer)[];

const outboxValues = (event: OutboxRow) => [
  event.eventId,
  event.type,
  event.topic,
  event.key,
  event.requestId,
  event.payload,
];

/** `$1, $2 …` from a starting number on. */
const parameters = (count: number, from: number): string =>
  Array.from({ length: count }, (_, at) => `$${from + at}`).join(", ");

const INSERT = {
  name: "insert-customer",
  text: `
    with created as (
      insert into customers (${COLUMNS.join(", ")}) values (${parameters(COLUMNS.length, 1)})
    )
    insert into outbox (${OUTBOX_COLUMNS}) values (${parameters(6, COLUMNS.length + 1)})`,
};

export const insertCustomer = (
  db: Pool | ClientBase,
  customer: Customer,
  event: OutboxRow,
): Promise<void> =>
  withinBounds(async () => {
    const values = [...COLUMNS.map((column) => customer[column]), ...outboxValues(event)];
    await db.query({ ...INSERT, values });
  });

const UPDATE = {
  name: "update-customer",
  text: `
    with changed as (
      update customers set display_name = $4, metadata_json = $5, updated_at = $6, version = $7
      where id = $1 and project_id = $2 and mode = $3 and version = $7 - 1 and deleted_at is null
      returning id
    )
    insert into outbox (${OUTBOX_COLUMNS})
    select $8::text, $9::text, $10::text, $11::text, $12::text, $13::bytea from changed`,
};

/** False when the customer is no longer at the version the change was decided on. */
export const updateCustomer = (
  pool: Pool,
  customer: Customer,
  event: OutboxRow,
): Promise<boolean> =>
  withinBounds(async () => {
    const { id, project_id, mode, display_name, metadata_json, updated_at, version } = customer;
    const values = [id, project_id, mode, display_name, metadata_json, updated_at, version];
    const { rowCount } = await pool.query({
      ...UPDATE,
      values: [...values, ...outboxValues(event)],
    });
    return rowCount === 1;
  });

// The id salts the hash, so that two erased records of one person cannot be told to be one. The stored
// answer is replaced, not deleted: a creation repeated under its key would bring the person back.
const ERASE = {
  name: "erase-customer",
  text: `
    with erased as (update customers set
      wallet_address = 'sha256:' || encode(sha256(convert_to(id || ':' || lower(wallet_address), 'UTF8')), 'hex'),
      email = null, display_name = null, metadata_json = null,
      deleted_at = $4, updated_at = $4, version = version + 1
    where id = $1 and project_id = $2 and mode = $3 and deleted_at is null
    returning id), forgotten as (
      update idempotency set response = $6 from erased where substr(response, 1, 32) = $5::bytea
    )
    select id from erased`,
};

/** False when there is no such living customer. Stored answers that show the customer become the given one. */
export const eraseCustomer = async (
  pool: Pool,
  { projectId, mode }: Tenant,
  id: string,
  { now, answersBegin, answer }: { now: Date; answersBegin: Uint8Array; answer: Uint8Array },
): Promise<boolean> => {
  const values = [id, projectId, mode, now, answersBegin, answer];
  const { rowCount } = await pool.query({ ...ERASE, values });
  return rowCount === 1;
};

const living = ({ projectId, mode }: Tenant) => ({
  project_id: projectId,
  mode,
  deleted_at: null,
});

export const findCustomer = (
  prisma: PrismaClient,
  tenant: Tenant,
  id: string,
): Promise<Customer | null> => prisma.customer.findFirst({ where: { ...living(tenant), id } });

/** In any order. */
export const findCustomers = (
  prisma: PrismaClient,
  tenant: Tenant,
  ids: string[],
): Promise<Customer[]> =>
  prisma.customer.findMany({ where: { ...living(tenant), id: { in: ids } } });

const FIND_OF_WALLETS = {
  name: "find-customers-of-wallets",
  text: `
    select distinct on (wallet_address) * from customers
    where project_id = $1 and mode = $2 and wallet_address = any($3) and deleted_at is null
    order by wallet_address, created_at, id`,
};

/** The oldest living record of each wallet that has one. */
export const findCustomersOfWallets = async (
  pool: Pool,
  { projectId, mode }: Tenant,
  wallets: string[],
): Promise<Customer[]> => {
  const { rows } = await pool.query<Customer>({
    ...FIND_OF_WALLETS,
    values: [projectId, mode, wallets],
  });
  return rows;
};

/** The oldest living record of a wallet: the one its payments are linked to. */
export const findCustomerByWallet = (
  prisma: PrismaClient,
  tenant: Tenant,
  wallet: string,
): Promise<Customer | null> =>
  prisma.customer.findFirst({
    where: { ...living(tenant), wallet_address: wallet },
    orderBy: [{ created_at: "asc" }, { id: "asc" }],
  });

export interface Listing {
  customers: Customer[];
  total: number;
  /** Id to continue after; undefined at the end. */
  nextAfter: string | undefined;
}

/** Newest first; the page and the total are of one snapshot. */
export const listCustomers = async (
  prisma: PrismaClient,
  tenant: Tenant,
  page: { page: number; limit: number; after: string },
  wallet: string | undefined,
): Promise<Listing> => {
  const where = { ...living(tenant), ...(wallet === undefined ? {} : { wallet_address: wallet }) };
  const beyond = page.after === "" ? {} : await olderThan(prisma, tenant, page.after);
  const [found, total] = await prisma.$transaction(
    [
      prisma.customer.findMany({
        where: { ...where, ...beyond },
        orderBy: [{ created_at: "desc" }, { id: "desc" }],
        skip: page.after === "" ? (page.page - 1) * page.limit : 0,
        // One more than asked tells whether the list goes on.
        take: page.limit + 1,
      }),
      prisma.customer.count({ where }),
    ],
    { isolationLevel: "RepeatableRead" },
  );
  const customers = found.slice(0, page.limit);
  return {
    customers,
    total,
    nextAfter: found.length > page.limit ? customers.at(-1)?.id : undefined,
  };
};

// An erased customer still marks its place, so that an erasure does not break off a walk through the list.
const olderThan = async (prisma: PrismaClient, { projectId, mode }: Tenant, after: string) => {
  const seen = await prisma.customer.findFirst({
    where: { id: after, project_id: projectId, mode },
    select: { created_at: true, id: true },
  });
  if (seen === null) {
    throw new Failure("invalid_argument", "after must be the id of an item of this list");
  }
  return {
    OR: [
      { created_at: { lt: seen.created_at } },
      { created_at: seen.created_at, id: { lt: seen.id } },
    ],
  };
};

const BOUNDS: Readonly<Record<string, string>> = {
  customers_email_bounded: "email must be 3 to 254 characters",
  customers_display_name_bounded: "displayName must be 1 to 100 characters",
  customers_metadata_object: "metadata must be an object",
};

/** The database's bounds in the merchant's words. */
const withinBounds = async <T>(run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    const message = BOUNDS[constraintOf(error) ?? ""];
    if (message === undefined) throw error;
    throw new Failure("invalid_argument", message, { cause: error });
  }
};
