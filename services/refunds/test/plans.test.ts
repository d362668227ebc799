// Lists and background reads leave out few of the rows that they read. The last block covers all other statements.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import {
  describeStatementPlans,
  describeWithPostgres,
  type TestDatabase,
  testDatabase,
  wastefulReads,
} from "@pay/testing";
import { toTxHash } from "@pay/values";
import type { Pool } from "pg";
import * as statements from "../src/generated/sql.ts";
import { countOnHold, findOverdue } from "../src/storage/cross-tenant.ts";
import { listRefunds, type RefundQuery } from "../src/storage/refunds.ts";
import { listSettlements } from "../src/storage/settlements.ts";

const ROWS = 20_000;
const TABLES = ["refunds", "settlements"];
const shop = { projectId: "proj_7", mode: Mode.LIVE };
const HASH = toTxHash(`0x${"c3".repeat(32)}`);
const SOURCE = `0x${"a1".repeat(20)}`;

// A project has a thousand refunds, of which most are completed and thirty have failed.
const FILL = `
  alter table settlements disable trigger user;
  insert into refund_balances (payment_id, project_id, mode, amount, received, payment_version, reserved, completed,
    surplus_reserved, surplus_completed, refunds)
  select 'pay_' || n, 'proj_' || n % 20, 1, 100, 100, 1, 1, 0, 0, 0, 1 from generate_series(1, ${ROWS}) as n;
  insert into refunds (id, project_id, mode, payment_id, status, amount, base_amount, decimals, currency, chain_id,
    payment_base_amount, source_address, destination_address, surplus, declared, refunded_base_amount,
    surplus_refunded_base_amount, reserved_base_amount, created_at, payer_address,
    sender_address, customer_id, failure_reason, tx_hash, block_number, completed_at)
  select 'refund_' || n, 'proj_' || n % 20, 1, 'pay_' || n, status, '1', 1, 18, 'native', 1, 100, '${SOURCE}',
    '0x' || repeat('b2', 20), false, false, 0, 0, 1, now() - n * interval '1 minute', '0x' || lpad(n::text, 40, '0'), '0x' || lpad(n::text, 40, '0'),
    'cust_' || n, case status when 'failed' then 'timeout' end,
    case status when 'completed' then '${HASH}' end, case status when 'completed' then 1 end,
    case status when 'completed' then now() end
  from (select n, case when n / 20 % 33 = 0 then 'failed' when n / 20 % 33 = 1 then 'created' else 'completed' end as status
    from generate_series(1, ${ROWS}) as n) made;
  insert into settlements (id, project_id, mode, status, chain_id, currency, amount, base_amount, decimals, source_address,
    destination_address, requested_by, created_at, failure_reason)
  select 'set_' || n, 'proj_' || n % 20, 1, case when n % 33 = 0 then 'requested' else 'failed' end, 1, 'native',
    '1', 1, 18, '${SOURCE}', '0x' || repeat('b2', 20), 'key_1', now() - n * interval '1 minute',
    case when n % 33 = 0 then null else 'rejected' end
  from generate_series(1, ${ROWS / 4}) as n`;

/** Of one submitted refund of the project. */
const SUBMITTED = `refund_${20 * 34 + 7}`;
const RARE = toTxHash(`0x${"d4".repeat(32)}`);

function since(hours: number): Date {
  return new Date(Date.now() - hours * 3_600_000);
}

describeWithPostgres("plans of refunds", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/refunds");
    // Each by itself: a busy machine needs long for all together.
    for (const statement of FILL.split(";")) await db.pool.query(statement);
    await db.pool.query("update refunds set tx_hash = $1 where id = $2", [RARE, SUBMITTED]);
    for (const table of TABLES) await db.pool.query(`vacuum analyze ${table}`);
  });
  afterAll(() => db?.drop());

  const page = { page: 1, limit: 20, after: "" };
  function readRefunds(query: Partial<RefundQuery>) {
    return (pool: Pool) => listRefunds(pool, shop, { page, statuses: [], ...query });
  }

  test.each<[string, (db: Pool) => Promise<unknown>]>([
    ["all refunds", readRefunds({})],
    ["a later page", readRefunds({ page: { page: 5, limit: 20, after: "" } })],
    ["the page after a refund", readRefunds({ page: { ...page, after: "refund_4007" } })],
    ["refunds of a rare status", readRefunds({ statuses: ["failed"] })],
    ["refunds of two rare statuses", readRefunds({ statuses: ["failed", "created"] })],
    ["refunds of most statuses", readRefunds({ statuses: ["completed", "created"] })],
    ["refunds of a payment", readRefunds({ paymentId: "pay_27" })],
    [
      "refunds of an owner",
      readRefunds({
        owner: {
          walletAddress: `0x${"27".padStart(40, "0")}`,
          customerIds: ["cust_47", "cust_67"],
        },
      }),
    ],
    ["refunds to sign", readRefunds({ toSign: true })],
    ["refunds with a hash", readRefunds({ txHash: RARE })],
    ["refunds of an hour", readRefunds({ createdFrom: since(2), createdTo: since(1) })],
    ["refunds of a currency", readRefunds({ currency: "native", chainId: 1n })],
    ["all settlements", (pool) => listSettlements(pool, shop, { page, statuses: [] })],
    [
      "settlements to approve and to sign",
      async (pool) => {
        await listSettlements(pool, shop, { page, statuses: ["requested"] });
        await listSettlements(pool, shop, { page, statuses: [], toSign: true });
      },
    ],
    [
      "overdue records",
      async (pool) => {
        const before = new Date(Date.now() - 86_400_000);
        await findOverdue(pool, "refunds", { before, rowsMax: 100 });
        await findOverdue(pool, "settlements", { before, rowsMax: 100 });
      },
    ],
    ["the gauges", countOnHold],
  ])("%s: at most a few rows are read in vain", async (_, work) => {
    expect(await wastefulReads(db.pool, TABLES, work)).toEqual([]);
  });
});

const HELD_REASON = "case when n % 1000 = 0 then 'predates_payment' end";
const OTHER_HASHES = "null::jsonb";

describeStatementPlans({
  folder: "services/refunds",
  statements,
  values: {
    "refunds.status": "(array['created', 'completed', 'failed'])[1 + n % 3]",
    "refunds.held_reason": HELD_REASON,
    "refunds.other_hashes": OTHER_HASHES,
    "settlements.status": "(array['requested', 'approved', 'completed', 'failed'])[1 + n % 4]",
    "settlements.held_reason": HELD_REASON,
    "settlements.other_hashes": OTHER_HASHES,
    // A project has few wallets.
    "wallet_balances.project_id": "'proj_' || n % 2000",
  },
  whole: {
    countOnHold: "an index over the sums of wallets would slow down each change of them",
  },
});
