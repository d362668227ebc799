import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { transaction } from "@pay/database";
import { Mode } from "@pay/proto";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import { rollUpCounts } from "../src/storage/hourly-counts.ts";
import { findPage } from "../src/storage/listing/page.ts";

const shop = { projectId: "proj_GGGGGGGGGGGGGGGGGGGGGGGG", mode: Mode.LIVE };
const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 1, 1);

describeWithPostgres("counts by hour and day", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/payments");
    for (let list = 0; list < 6; list++) {
      await db.pool.query(
        `insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency,
           chain_id, recipient_address, qr_mode, secret_version, expires_at, created_at)
         select 'pay_' || lpad($2::text || 'n' || n, 24, '0'), $1, 1, 1, 'created', '1', 1, 18, 'native', 1 + n % 2, '0x',
           false, 1, '2100-01-01', $3::timestamptz + n * interval '20 minutes' from generate_series(0, 199) as n`,
        [shop.projectId, list, new Date(START)],
      );
    }
    await db.pool.query("update payments set status = 'expired' where chain_id = 1");
  });
  afterAll(() => db?.drop());

  function rollUp(before: Date, limit = 1_000) {
    // Two of the three days have more payments than this, the third has fewer.
    const round = { before, limit, hoursAbove: 400 };
    return transaction(db.pool, (tx) => rollUpCounts(tx, round), { isolation: "repeatable read" });
  }

  async function rollUpAll(before: Date) {
    while (await rollUp(before)) {}
  }

  async function totals() {
    const periods = [0, 1, 5, 24, 30.5, 49, 66].map((hours) => new Date(START + hours * HOUR_MS));
    const pairs = periods.flatMap((from) => periods.map((to) => [from, to] as const));
    const page = { limit: 1, offset: 0, after: undefined };
    const kept = [];
    const counted = [];
    for (const [createdFrom, createdTo] of [[undefined, undefined] as const, ...pairs]) {
      const filter = { statuses: ["created"], createdFrom, createdTo };
      kept.push((await findPage(db.pool, shop, filter, page)).total);
      const { rows } = await db.pool.query<{ n: string }>(
        `select count(*) as n from payments where status = 'created'
           and created_at between coalesce($1::timestamptz, '-infinity') and coalesce($2::timestamptz, 'infinity')`,
        [createdFrom, createdTo],
      );
      counted.push(BigInt(rows[0]?.n ?? -1));
    }
    return { kept, counted };
  }

  async function readRows(condition: string) {
    const { rows } = await db.pool.query<{ n: number }>(
      `select count(*)::int as n from payment_counts where ${condition}`,
    );
    return rows[0]?.n;
  }

  test("totals are exact before, between and after the rounds of the roll-up", async () => {
    const end = new Date(START + 1_000 * HOUR_MS);
    const before = await totals();
    expect(before.kept).toEqual(before.counted);
    expect(await rollUp(end, 1)).toBe(true);
    expect(await readRows("grain = 'day'")).toBe(2);
    expect((await totals()).kept).toEqual(before.kept);
    await rollUpAll(end);
    expect(await readRows("shard <> 0")).toBe(0);
    expect((await totals()).kept).toEqual(before.kept);
  });

  test("a finished day has one row for each kind, and a large day one for each hour as well", async () => {
    expect(await readRows("payments = 0")).toBe(0);
    // 200 payments in steps of 20 minutes are 67 hours of 3 days, each with two kinds.
    expect(await readRows("grain = 'day'")).toBe(3 * 2);
    expect(await readRows("grain = 'hour'")).toBe(48 * 2);
  });

  test("a move of an old payment counts at once, and a count that becomes 0 is deleted", async () => {
    await db.pool.query("update payments set status = 'expired' where chain_id = 2");
    const { kept, counted } = await totals();
    expect(kept).toEqual(counted);
    expect(kept[0]).toBe(0n);
    await rollUpAll(new Date(START + 1_000 * HOUR_MS));
    expect((await totals()).kept).toEqual(kept);
    expect(await readRows("status = 'created'")).toBe(0);
    expect(await readRows("shard <> 0 or payments <= 0")).toBe(0);
  });

  test("a far page begins where the counts say, and has the rows that an offset has", async () => {
    const { rows } = await db.pool.query<{ id: string }>(
      "select id from payments order by created_at desc, id desc",
    );
    for (const offset of [300, 1_000, 1_001, 1_077, 1_195, 1_200, 5_000]) {
      const page = { limit: 20, offset, after: undefined };
      for (const filter of [{ statuses: [] }, { statuses: ["expired"], variant: 1 }]) {
        const { payments, total } = await findPage(db.pool, shop, filter, page);
        expect(payments.map(({ id }) => id)).toEqual(
          rows.slice(offset, offset + 20).map(({ id }) => id),
        );
        expect(total).toBe(1_200n);
      }
      const none = await findPage(db.pool, { ...shop, mode: Mode.TEST }, { statuses: [] }, page);
      expect(none).toEqual({ payments: [], total: 0n, counted: 0n });
    }
  });

  test("a day that is not finished is left to its writers", async () => {
    await db.pool.query("update payments set status = 'created' where chain_id = 2");
    const rolledUp = await readRows("shard = 0");
    await rollUpAll(new Date(START + 23 * HOUR_MS));
    expect(await readRows("shard = 0")).toBe(rolledUp);
    const { kept, counted } = await totals();
    expect(kept).toEqual(counted);
  });

  test("counts that change while they are rolled up are exact", async () => {
    await db.pool.query("update payments set status = 'expired' where chain_id = 2");
    const end = new Date(START + 1_000 * HOUR_MS);
    async function move(nth: number) {
      for (let round = 0; round < 21; round++) {
        await db.pool.query(
          `update payments set status = case status when 'expired' then 'created' else 'expired' end
           where id like 'pay_%' || $1`,
          [`${nth}`],
        );
      }
    }

    function ignoreLostRace(error: { code?: string; cause?: { code?: string } }) {
      if ((error.cause ?? error).code !== "40001") throw error;
    }

    let moved = false;
    async function rollUpMeanwhile() {
      while (!moved) await rollUp(end, 50).catch(ignoreLostRace);
    }

    const moves = Promise.all([1, 4, 7].map(move)).finally(() => {
      moved = true;
    });
    await Promise.all([moves, rollUpMeanwhile()]);
    const { kept, counted } = await totals();
    expect(kept).toEqual(counted);
    await rollUpAll(end);
    expect((await totals()).kept).toEqual(kept);
  });

  test("totals follow payments that leave the table", async () => {
    await db.pool.query("delete from payments where created_at >= $1", [
      new Date(START + 30 * HOUR_MS),
    ]);
    const { kept, counted } = await totals();
    expect(kept).toEqual(counted);
    expect(kept[0]).toBeGreaterThan(0n);
  });
});
