// The sums that are kept beside refunds: what differs from the rows is noticed until it is corrected.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { register } from "prom-client";
import { compareBalances, compareProject } from "../src/storage/sums.ts";
import { aTenant, describeWithShop, type Shop, startShop, type Tenant } from "./shop.ts";

const ALL = 100_000;

describeWithShop("kept sums", () => {
  let shop: Shop;
  let tenant: Tenant;
  let paymentId: string;
  beforeAll(async () => {
    shop = await startShop();
    tenant = aTenant();
    paymentId = (await shop.pay.confirmed(tenant)).id;
    for (const amount of ["0.1", "0.2"]) await shop.decidedRefund(tenant, paymentId, { amount });
    // The balance follows the events of its payment, so a later one would undo the first change.
    await shop.readEvents(tenant, "payment");
  });
  afterAll(() => shop?.stop());

  async function broken(of: string) {
    const { values } = (await register.getSingleMetric("refund_sums_broken")?.get()) ?? {};
    return values?.find(({ labels }) => labels.of === of)?.value;
  }

  async function noticed(of: string, change: string, repair: string) {
    await until(async () => (await broken(of)) === 0, { what: `no broken sum of ${of}` });
    expect((await shop.pool.query(change)).rowCount).toBe(1);
    await until(async () => (await broken(of)) === 1, { what: `a broken sum of ${of}` });
    await shop.pool.query(repair);
    await until(async () => (await broken(of)) === 0, { what: `the repaired sum of ${of}` });
  }

  test.each(["received", "reserved", "completed", "refunds"])(
    "of a payment: %s",
    async (column) => {
      const where = `where payment_id = '${paymentId}'`;
      const sign = column === "refunds" ? "-" : "+";
      const back = column === "refunds" ? "+" : "-";
      await noticed(
        "payments",
        `update refund_balances set ${column} = ${column} ${sign} 1 ${where}`,
        `update refund_balances set ${column} = ${column} ${back} 1 ${where}`,
      );
    },
  );

  test.each(["reserved_refunds", "settled"])("of a wallet: %s", async (column) => {
    const where = `where project_id = '${tenant.projectId}'`;
    await noticed(
      "projects",
      `update wallet_balances set ${column} = ${column} + 1 ${where}`,
      `update wallet_balances set ${column} = ${column} - 1 ${where}`,
    );
  });

  test("of a project: the count of a status", async () => {
    const row = `project_id = '${tenant.projectId}' and status = 'created' and shard = 40`;
    await noticed(
      "projects",
      `insert into refund_totals values ('${tenant.projectId}', ${tenant.mode}, 'created', 40, 1)`,
      `delete from refund_totals where ${row}`,
    );
  });

  test("are compared page by page; a project that is too large is skipped", async () => {
    const others = [await shop.pay.confirmed(tenant), await shop.pay.confirmed(tenant)];
    for (const { id } of others) await shop.decidedRefund(tenant, id);
    const ids = [paymentId, ...others.map(({ id }) => id)].sort();
    const read: string[] = [];
    let after = { projectId: "", paymentId: "" };
    for (let pages = 0; pages <= ids.length; pages++) {
      const { last, broken: wrong } = await compareBalances(shop.pool, after, 1);
      expect(wrong).toEqual([]);
      if (last === undefined) break;
      read.push(last.paymentId);
      after = last;
    }
    expect(read).toEqual(ids);

    await shop.pool.query("update wallet_balances set settled = settled + 1");
    const start = { projectId: "", mode: 0 };
    const found = await compareProject(shop.pool, start, ALL);
    const place = { projectId: tenant.projectId, mode: tenant.mode };
    expect(found).toEqual({
      last: place,
      broken: [`wallets of ${tenant.projectId} mode ${tenant.mode}`],
    });
    expect(await compareProject(shop.pool, start, 1)).toEqual({ last: place, broken: [] });
    expect(await compareProject(shop.pool, place, ALL)).toEqual({ last: undefined, broken: [] });
  });
});
