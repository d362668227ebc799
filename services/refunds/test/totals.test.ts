// The counts of refunds by status that triggers keep, through an upgrade of a table that has refunds already.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { databaseBefore, describeWithPostgres, migrateTo, type TestDatabase } from "@pay/testing";
import { listRefunds } from "../src/storage/refunds.ts";

const HOME = "services/refunds";
const TRIGGERS = "20261216000000_refund_totals";
const SHOPS = ["proj_A", "proj_B", "proj_C", "proj_D"];
const STATUSES = ["created", "completed", "failed"];

const INSERT = `
  with balance as (
    insert into refund_balances (payment_id, project_id, mode, amount, cap, reserved, completed, refunds, declared)
    values ('pay_' || $1::text, $2, $3, 100, 100, 100, 0, 50, false) returning payment_id
  )
  insert into refunds (id, project_id, mode, payment_id, status, amount, base_amount, decimals, currency, chain_id,
    payment_base_amount, source_address, destination_address, refunded_base_amount, created_at)
  select 'refund_' || $1::text || n, $2, $3, payment_id, 'created', '1', 1, 18, 'native', 1, 100,
    '0x' || repeat('a1', 20), '0x' || repeat('b2', 20), 0, now()
  from balance cross join generate_series(1, $4::int) as n`;
const FAIL = `
  update refunds set status = 'failed', failure_reason = 'timeout', version = version + 1
  where project_id = $1 and id like 'refund_' || $2 || '%' and status = 'created'`;
const COMPLETE = `
  update refunds set status = 'completed', completed_at = now(), tx_hash = '0x' || repeat('c3', 32), block_number = 1
  where project_id = $1 and id like 'refund_' || $2 || '%' and status = 'created'`;

describeWithPostgres("totals of refunds", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await databaseBefore(HOME, TRIGGERS);
  });
  afterAll(() => db?.drop());

  let lists = 0;
  function add(projectId: string, count: number, mode = Mode.LIVE) {
    return db.pool.query(INSERT, [`${lists++}-`, projectId, mode, count]);
  }

  async function expectExactTotals() {
    const asked = [[], STATUSES.slice(1), ...STATUSES.map((status) => [status])];
    for (const projectId of SHOPS) {
      for (const mode of [Mode.LIVE, Mode.TEST]) {
        for (const statuses of asked) {
          const { rows } = await db.pool.query(
            `select count(*) as n from refunds where project_id = $1 and mode = $2
               and (status = any($3) or cardinality($3::text[]) = 0)`,
            [projectId, mode, statuses],
          );
          const request = { page: { page: 1, limit: 1, after: "" }, statuses };
          const { total } = await listRefunds(db.pool, { projectId, mode }, request);
          expect([projectId, mode, statuses, total]).toEqual([
            projectId,
            mode,
            statuses,
            Number(rows[0].n),
          ]);
        }
      }
    }
  }

  test("are exact after an upgrade, whatever happens between its steps and beside them", async () => {
    for (const shop of ["proj_A", "proj_B"]) await add(shop, 40);
    await add("proj_A", 5, Mode.TEST);
    await db.pool.query(FAIL, ["proj_A", "0-1"]);
    await migrateTo(HOME, db.url, (name) => name <= TRIGGERS);
    // What the triggers count before the rows from before are counted: one project loses all that it had.
    await db.pool.query(COMPLETE, ["proj_A", "0-2"]);
    await db.pool.query("delete from refunds where project_id = 'proj_B'");
    await add("proj_C", 3);

    let upgraded = false;
    async function write(nth: number) {
      do {
        await add("proj_A", 1);
        await add("proj_D", 2);
        await db.pool.query(FAIL, ["proj_A", `0-3${nth}`]);
        await db.pool.query(COMPLETE, ["proj_A", `0-4${nth}`]);
      } while (!upgraded);
    }
    const writes = Promise.all([write(0), write(1)]);
    await migrateTo(HOME, db.url, () => true).finally(() => {
      upgraded = true;
    });
    await writes;
    await expectExactTotals();
  });

  test("follow creations, moves and rows that leave, and no other change", async () => {
    await add("proj_C", 10);
    await db.pool.query(
      "update refunds set status = status, reason = 'late' where project_id = 'proj_C'",
    );
    await db.pool.query(FAIL, ["proj_C", ""]);
    await add("proj_C", 4, Mode.TEST);
    await db.pool.query("delete from refunds where project_id = 'proj_A' and id like '%1'");
    await expectExactTotals();
  });

  test("are exact after transactions that are undone and such that write at the same time", async () => {
    const client = await db.pool.connect();
    await client.query("begin");
    await client.query(INSERT, ["undone-", "proj_C", Mode.LIVE, 7]);
    await client.query(COMPLETE, ["proj_C", "undone"]);
    // Those that have the same shard wait for its end.
    const writes = Promise.all([add("proj_C", 2), add("proj_C", 3), add("proj_D", 1)]);
    await client.query("rollback");
    client.release();
    await writes;
    await expectExactTotals();
  });
});
