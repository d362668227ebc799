// Each query of the service finds its rows by an index, and reads few that it does not answer. The sums of wallets are
// left out: they are as many as merchants have wallets, and an index over sums that change would slow each change.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { describeWithPostgres, type TestDatabase, testDatabase, wastefulReads } from "@pay/testing";
import { toAddress, toAmount, toChainId, toCurrency, toTxHash } from "@pay/values";
import type { Pool, PoolClient } from "pg";
import { complete, type Refund } from "../src/domain/refund.ts";
import { toEvent } from "../src/messages.ts";
import {
  countOnHold,
  findOverdue,
  lockRefunds,
  lockSettlements,
} from "../src/storage/cross-tenant.ts";
import {
  changeRefundHashes,
  findPaymentRefunds,
  findRefund,
  insertRefund,
  listRefunds,
  markDeclared,
  moveRefund,
  openBalance,
  type RefundQuery,
} from "../src/storage/refunds.ts";
import { findSettlement, listSettlements } from "../src/storage/settlements.ts";
import { creditWallets, lockWallet } from "../src/storage/wallets.ts";

const ROWS = 20_000;
const TABLES = ["refunds", "refund_balances", "settlements", "wallet_credits"];
const shop = { projectId: "proj_7", mode: Mode.LIVE };
function named(id: string) {
  return { projectId: shop.projectId, resourceId: id };
}
const HASH = toTxHash(`0x${"c3".repeat(32)}`);
const SOURCE = `0x${"a1".repeat(20)}`;

// A project has a thousand refunds, of which most are completed and thirty have failed.
const FILL = `
  alter table settlements disable trigger user;
  insert into refund_balances (payment_id, project_id, mode, amount, cap, reserved, completed, refunds, declared)
  select 'pay_' || n, 'proj_' || n % 20, 1, 100, 100, 1, 0, 1, false from generate_series(1, ${ROWS}) as n;
  insert into refunds (id, project_id, mode, payment_id, status, amount, base_amount, decimals, currency, chain_id,
    payment_base_amount, source_address, destination_address, refunded_base_amount, created_at, payer_address,
    sender_address, customer_id, failure_reason, tx_hash, block_number, completed_at)
  select 'refund_' || n, 'proj_' || n % 20, 1, 'pay_' || n, status, '1', 1, 18, 'native', 1, 100, '${SOURCE}',
    '0x' || repeat('b2', 20), 0, now() - n * interval '1 minute', '0x' || lpad(n::text, 40, '0'), '0x' || lpad(n::text, 40, '0'),
    'cust_' || n, case status when 'failed' then 'timeout' end,
    case status when 'completed' then '${HASH}' end, case status when 'completed' then 1 end,
    case status when 'completed' then now() end
  from (select n, case when n / 20 % 33 = 0 then 'failed' when n / 20 % 33 = 1 then 'created' else 'completed' end as status
    from generate_series(1, ${ROWS}) as n) made;
  insert into wallet_credits (payment_id, base_amount, version)
  select 'pay_' || n, 100, 1 from generate_series(1, ${ROWS}) as n;
  update wallet_balances set credited = 100000;
  insert into settlements (id, project_id, mode, status, chain_id, currency, amount, base_amount, decimals, source_address,
    destination_address, requested_by, created_at, failure_reason)
  select 'set_' || n, 'proj_' || n % 20, 1, case when n % 33 = 0 then 'requested' else 'failed' end, 1, 'native',
    '1', 1, 18, '${SOURCE}', '0x' || repeat('b2', 20), 'key_1', now() - n * interval '1 minute',
    case when n % 33 = 0 then null else 'rejected' end
  from generate_series(1, ${ROWS / 4}) as n`;

/** A number whose refund is of the project and was created only. */
const OPEN = 20 * 34 + 7;

describeWithPostgres("plans of refunds", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/refunds");
    // Each by itself: a busy machine needs long for all together.
    for (const statement of FILL.split(";")) await db.pool.query(statement);
    for (const table of TABLES) await db.pool.query(`vacuum analyze ${table}`);
  });
  afterAll(() => db?.drop());

  const page = { page: 1, limit: 20, after: "" };
  function readRefunds(query: Partial<RefundQuery>) {
    return (pool: Pool) => listRefunds(pool, shop, { page, statuses: [], ...query });
  }

  async function change(pool: Pool) {
    const tx = pool as unknown as PoolClient;
    const id = `refund_${OPEN}`;
    const { refunds, balances } = await lockRefunds(tx, [id, "refund_27"].map(named));
    const before = refunds.get(id) as Refund;
    const balance = balances.get(before.payment_id);
    const submitted = { ...before, tx_hash: HASH };
    const event = toEvent("refund.submitted", before, new Date(), "");
    const from = ["created"];
    expect(await changeRefundHashes(tx, before, submitted, { from, event })).toBe(true);
    if (balance === undefined) throw new Error("a refund has a balance");
    const proof = { txHash: HASH, blockNumber: 1n, now: new Date() };
    const settled = complete(submitted, balance, proof);
    if (settled === undefined) throw new Error("a refund was not completed");
    await moveRefund(tx, settled.refund, event);
    await openBalance(tx, balance);
    await insertRefund(tx, { ...before, id: "refund_new" }, event);
    await markDeclared(tx, balance);
  }

  async function credit(pool: Pool) {
    const tx = pool as unknown as PoolClient;
    const [chainId, currency, source] = [toChainId(1), toCurrency("native"), toAddress(SOURCE)];
    await lockWallet(tx, shop, { chainId, currency, sourceAddress: source });
    const of = { project_id: shop.projectId, mode: shop.mode, chain_id: chainId, currency };
    const sum = { source_address: source, decimals: 18, base_amount: toAmount(50n), version: 2 };
    await creditWallets(tx, [
      { payment_id: "pay_27", ...of, ...sum },
      { payment_id: "pay_new", ...of, ...sum },
    ]);
  }

  test.each<[string, (db: Pool) => Promise<unknown>]>([
    ["a refund", (pool) => findRefund(pool, shop, "refund_27")],
    [
      "refunds of payments",
      (pool) => findPaymentRefunds(pool, shop, ["pay_27", "pay_47", "pay_none"]),
    ],
    ["all refunds", readRefunds({})],
    ["a later page", readRefunds({ page: { page: 5, limit: 20, after: "" } })],
    ["what follows a refund", readRefunds({ page: { ...page, after: "refund_4007" } })],
    ["refunds of a rare status", readRefunds({ statuses: ["failed"] })],
    ["refunds of two rare statuses", readRefunds({ statuses: ["failed", "created"] })],
    ["refunds of most statuses", readRefunds({ statuses: ["completed", "created"] })],
    ["refunds of a payment", readRefunds({ paymentId: "pay_27" })],
    [
      "refunds of a shopper",
      readRefunds({
        owner: {
          walletAddress: `0x${"27".padStart(40, "0")}`,
          customerIds: ["cust_47", "cust_67"],
        },
      }),
    ],
    ["a settlement", (pool) => findSettlement(pool, shop, "set_27")],
    ["all settlements", (pool) => listSettlements(pool, shop, { page, statuses: [] })],
    ["changes", change],
    ["credits", credit],
    [
      "verdicts on settlements",
      (pool) => lockSettlements(pool as unknown as PoolClient, ["set_27", "set_47"].map(named)),
    ],
    [
      "what waits too long",
      async (pool) => {
        const before = new Date(Date.now() - 86_400_000);
        await findOverdue(pool, "refunds", { before, rowsMax: 100 });
        await findOverdue(pool, "settlements", { before, rowsMax: 100 });
      },
    ],
    ["the gauges", countOnHold],
  ])("%s: no row is read in vain", async (_, work) => {
    expect(await wastefulReads(db.pool, TABLES, work)).toEqual([]);
  });
});
