// Keys of refunds begin with the project from this version on, beside the running service of the version before.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { getConstraint, transaction } from "@pay/database";
import { Mode } from "@pay/proto";
import { databaseBefore, describeWithPostgres, migrateTo, type TestDatabase } from "@pay/testing";
import type { Balance } from "../src/domain/balance.ts";
import { openBalance } from "../src/storage/balances.ts";
import { lockRefunds, lockSettlements } from "../src/storage/internal.ts";
import { findRefund } from "../src/storage/refunds.ts";

const HOME = "services/refunds";
const FIRST = "20270113";
const shop = { projectId: "proj_1", mode: Mode.LIVE };
const WALLET = `0x${"a1".repeat(20)}`;

// The statements of the version before.
const OPEN = `
  insert into refund_balances as balance
    (payment_id, project_id, mode, amount, cap, reserved, completed, refunds, declared)
  values ($1, 'proj_1', 1, 100, $2, 0, 0, 0, false)
  on conflict (payment_id) do update set cap = greatest(balance.cap, excluded.cap) returning *`;
const REFUND = `
  insert into refunds (id, project_id, mode, payment_id, status, amount, base_amount, decimals, currency, chain_id,
    payment_base_amount, source_address, destination_address, refunded_base_amount, created_at)
  values ($1, $2, 1, $3, 'created', '1', 1, 18, 'native', 1, 100, $4, $4, 0, now())`;
const SETTLEMENT = `
  insert into settlements (id, project_id, mode, status, chain_id, currency, amount, base_amount, decimals,
    source_address, destination_address, requested_by, created_at)
  values ('stl_1', 'proj_1', 1, 'requested', 1, 'native', '1', 1, 18, $1, '0x' || repeat('b2', 20), 'key_1', now())`;

function named(id: string, projectId = shop.projectId) {
  return { projectId, id };
}

describeWithPostgres("an upgrade", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await databaseBefore(HOME, FIRST);
    await db.pool.query(OPEN, ["pay_1", 100]);
    await db.pool.query(REFUND, ["refund_1", "proj_1", "pay_1", WALLET]);
    await db.pool.query("alter table settlements disable trigger user");
    await db.pool.query(SETTLEMENT, [WALLET]);
  });
  afterAll(() => db?.drop());

  function readBalance(paymentId: string, cap: bigint): Balance {
    return {
      payment_id: paymentId,
      project_id: shop.projectId,
      mode: shop.mode,
      amount: 100n,
      cap,
      reserved: 0n,
      completed: 0n,
      refunds: 0,
      declared: false,
    };
  }

  test("keeps every record, and both versions open balances at the same time", async () => {
    await migrateTo(HOME, db.url, () => true);
    expect(await findRefund(db.pool, shop, "refund_1")).toMatchObject({ payment_id: "pay_1" });
    await transaction(db.pool, async (tx) => {
      const names = [named("refund_1"), named("refund_1", "proj_2"), named("refund_2")];
      const { refunds, balances } = await lockRefunds(tx, names);
      expect([[...refunds.keys()], [...balances.keys()]]).toEqual([["refund_1"], ["pay_1"]]);
      expect([...(await lockSettlements(tx, [named("stl_1")])).keys()]).toEqual(["stl_1"]);
      expect(await openBalance(tx, readBalance("pay_1", 120n))).toMatchObject({ cap: 120n });
    });

    const before = await db.pool.connect();
    try {
      await before.query("begin");
      await before.query(OPEN, ["pay_2", 110]);
      const opened = transaction(db.pool, (tx) => openBalance(tx, readBalance("pay_2", 130n)));
      await before.query("commit");
      expect(await opened).toMatchObject({ payment_id: "pay_2", cap: 130n });
    } finally {
      before.release();
    }
    expect((await db.pool.query(OPEN, ["pay_2", 140])).rows).toMatchObject([{ cap: "140" }]);
  });

  test("lets no refund take from the payment of another project", async () => {
    const stolen = db.pool.query(REFUND, ["refund_9", "proj_2", "pay_1", WALLET]);
    expect(await stolen.then(() => "stored", getConstraint)).toBe(
      "refunds_project_id_payment_id_fkey",
    );
  });
});
