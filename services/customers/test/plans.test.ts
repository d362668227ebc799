// Each query of the service finds its rows by an index, and reads few that it does not answer.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import {
  describeStatementPlans,
  describeWithPostgres,
  type TestDatabase,
  testDatabase,
  wastefulReads,
} from "@pay/testing";
import type { Pool } from "pg";
import { type Customer, eraseFields } from "../src/domain/customer.ts";
import * as statements from "../src/generated/sql.ts";
import { toEvent } from "../src/messages.ts";
import {
  eraseCustomer,
  findCustomersOfWallets,
  insertCustomer,
  listCustomers,
  updateCustomer,
} from "../src/storage/customers.ts";

const ROWS = 20_000;
const FIRST = { page: 1, limit: 20, after: "" };
const shop = { projectId: "proj_7", mode: Mode.LIVE };

// Every fourth customer is erased; a project has a thousand.
const FILL = `
  insert into customers (id, project_id, mode, wallet_address, email, display_name, created_at, updated_at, deleted_at)
  select 'cust_' || n, 'proj_' || n % 20, 1,
    case when n % 80 < 20 then 'sha256:' || repeat('0', 64) else '0x' || lpad(n::text, 40, '0') end,
    case when n % 80 < 20 then null else 'a@b.c' end, case when n % 80 >= 20 then 'Name ' || n || ' x' end, now() - n * interval '1 minute', now(), case when n % 80 < 20 then now() end
  from generate_series(1, ${ROWS}) as n;
  insert into idempotency_keys (scope, key, fingerprint, response)
  select 'scope', 'key-' || n, '', convert_to('cust_' || n || repeat(' ', 40), 'UTF8') from generate_series(1, ${ROWS}) as n`;

function getWallet(nth: number) {
  return `0x${String(nth).padStart(40, "0")}`;
}

describeWithPostgres("plans of customers", () => {
  let db: TestDatabase;
  const tables = ["customers"];
  beforeAll(async () => {
    db = await testDatabase("services/customers");
    for (const statement of FILL.split(";")) await db.pool.query(statement);
    // The part of the present half day.
    const { rows } = await db.pool.query<{ name: string }>(
      "select tableoid::regclass::text as name from idempotency_keys limit 1",
    );
    tables.push(...rows.map(({ name }) => name));
    for (const table of tables) await db.pool.query(`vacuum analyze ${table}`);
  });
  afterAll(() => db?.drop());

  function ask(page: { page: number; after: string }, wallet?: string) {
    return (pool: Pool) => listCustomers(pool, shop, { page: { ...page, limit: 20 }, wallet });
  }

  async function change(pool: Pool) {
    const [customer] = await findCustomersOfWallets(pool, shop, [getWallet(67)]);
    const next = { ...(customer as Customer), display_name: "new", version: 2 };
    expect(await updateCustomer(pool, next, toEvent("customer.updated", next, ""))).toBe(true);
    const other = { ...next, id: "cust_new", version: 1 };
    await insertCustomer(pool, other, toEvent("customer.created", other, ""));
  }

  test.each<[string, (db: Pool) => Promise<unknown>]>([
    [
      "customers of wallets",
      (pool) => findCustomersOfWallets(pool, shop, [67, 107, 147].map(getWallet)),
    ],
    ["the first page", ask({ page: 1, after: "" })],
    ["a later page", ask({ page: 5, after: "" })],
    ["what follows a customer", ask({ page: 1, after: "cust_4067" })],
    ["a name's page", (pool) => listCustomers(pool, shop, { page: FIRST, name: "name 67 " })],
    [
      "a period's page",
      (pool) =>
        listCustomers(pool, shop, { page: FIRST, createdFrom: new Date(Date.now() - 86_400_000) }),
    ],
    ["a wallet's page", ask({ page: 1, after: "" }, getWallet(67))],
    ["changes", change],
    [
      "erasures",
      async (pool) => {
        const [known] = await findCustomersOfWallets(pool, shop, [getWallet(107)]);
        const customer = eraseFields(known as Customer, new Date());
        const event = toEvent("customer.erased", customer, "");
        const responseStart = Buffer.from("cust_107".padEnd(32));
        const responses = { responseStart, response: Buffer.from("") };
        expect(await eraseCustomer(pool, { customer, event }, responses)).toBe(true);
      },
    ],
  ])("%s: no row is read in vain", async (_, work) => {
    expect(await wastefulReads(db.pool, tables, work)).toEqual([]);
  });
});

describeStatementPlans({ folder: "services/customers", statements });
