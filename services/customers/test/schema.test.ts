import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import {
  describeWithPostgres,
  expectKeysOfProjects,
  expectNoDrift,
  type TestDatabase,
  testDatabase,
} from "@pay/testing";
import { listCustomers } from "../src/storage/customers.ts";

describeWithPostgres("the database of customers", () => {
  test("its migrations yield its schema", () => expectNoDrift("services/customers"));

  test("its keys begin with the project", () => expectKeysOfProjects("services/customers"));
});

const SHOPS = ["proj_A", "proj_B", "proj_C", "proj_D"];
const ERASED = `'sha256:' || repeat('0', 64)`;

const INSERT = `
  insert into customers (id, project_id, mode, wallet_address, created_at, updated_at)
  select 'cust_' || $1::text || n, $2, $3, '0x' || repeat('a1', 20), now(), now() from generate_series(1, $4::int) as n`;
const ERASE = `
  update customers set wallet_address = ${ERASED}, email = null, deleted_at = now() where project_id = $1 and id like 'cust_' || $2 || '%'`;

describeWithPostgres("totals of customers", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/customers");
    for (const shop of ["proj_A", "proj_B"]) await add(shop, 40);
  });
  afterAll(() => db?.drop());

  let lists = 0;
  function add(projectId: string, count: number, mode = Mode.LIVE) {
    return db.pool.query(INSERT, [`${lists++}-`, projectId, mode, count]);
  }

  async function expectExactTotals() {
    for (const projectId of SHOPS) {
      for (const mode of [Mode.LIVE, Mode.TEST]) {
        const { rows } = await db.pool.query(
          "select count(*) as n from customers where project_id = $1 and mode = $2 and deleted_at is null",
          [projectId, mode],
        );
        const request = { page: { page: 1, limit: 1, after: "" }, wallet: undefined };
        const { total } = await listCustomers(db.pool, { projectId, mode }, request);
        expect([projectId, mode, total]).toEqual([projectId, mode, Number(rows[0].n)]);
      }
    }
  }

  test("follow creations, erasures and rows that leave, and no other change", async () => {
    await add("proj_C", 10);
    await db.pool.query(
      "update customers set email = 'a@b.c', version = 2 where project_id = 'proj_C'",
    );
    await db.pool.query(ERASE, ["proj_C", ""]);
    // An erasure of what is erased counts once.
    await db.pool.query(ERASE, ["proj_C", ""]);
    await add("proj_C", 4, Mode.TEST);
    await db.pool.query("delete from customers where project_id = 'proj_A' and id like '%1'");
    await expectExactTotals();
  });

  test("are exact after transactions that are undone and such that write at the same time", async () => {
    const client = await db.pool.connect();
    await client.query("begin");
    await client.query(INSERT, ["undone-", "proj_C", Mode.LIVE, 7]);
    // Those that have the same shard wait for its end.
    const writes = Promise.all([add("proj_C", 2), add("proj_C", 3), add("proj_D", 1)]);
    await client.query("rollback");
    client.release();
    await writes;
    await expectExactTotals();
  });
});
