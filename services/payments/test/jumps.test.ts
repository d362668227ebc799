// A page by number is the one that an offset has, wherever it begins: in a second with hundreds of payments, among
// payments of one time, at the ends of hours and days, in days with and without their hours, rolled up or not.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { transaction } from "@pay/database";
import { Mode } from "@pay/proto";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import fc from "fast-check";
import { rollUpCounts } from "../src/storage/hourly-counts.ts";
import type { Filter } from "../src/storage/listing/conditions.ts";
import { findPage } from "../src/storage/listing/page.ts";

const shop = { projectId: "proj_JJJJJJJJJJJJJJJJJJJJJJJJ", mode: Mode.LIVE };
const DAY_MS = 86_400_000;
/** Of the older payments; the newer ones lie in the last days, which are looked at first. */
const OLD = Date.UTC(2026, 1, 1);
const NEW = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;

interface Part {
  from: number;
  payments: number;
  stepMs: number;
}

const PARTS: readonly Part[] = [
  // A day that does not keep its hours, and an hour with most payments of its day.
  { from: OLD, payments: 200, stepMs: 400_000 },
  { from: OLD + DAY_MS, payments: 120, stepMs: 720_000 },
  { from: OLD + DAY_MS + 7 * 3_600_000, payments: 900, stepMs: 3_999 },
  // A second of many, one time of many, and the last and first milliseconds of a day.
  { from: OLD + 2 * DAY_MS + 3_600_000, payments: 400, stepMs: 2 },
  { from: OLD + 2 * DAY_MS + 3 * 3_600_000, payments: 350, stepMs: 0 },
  { from: OLD + 3 * DAY_MS - 100, payments: 200, stepMs: 1 },
  // The same now, where nothing is rolled up.
  { from: NEW, payments: 300, stepMs: 250_000 },
  { from: NEW + DAY_MS - 30, payments: 300, stepMs: 0 },
  { from: NEW + DAY_MS + 3_600_000 - 500, payments: 700, stepMs: 3 },
];

const FILL = `
  insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, secret_version, expires_at, due_at, created_at)
  select 'pay_' || md5($2::int || '-' || n), $1, case n % 29 when 0 then 2 else 1 end, 1 + n % 7 / 6,
    (array['created', 'failed', 'expired', 'failed', 'processing'])[1 + n % 5], '1', 1, 18, 'native', 1 + n % 3, '0x',
    false, 1, '2100-01-01', case n % 5 when 4 then timestamptz '2100-01-01' end,
    $3::timestamptz + (n * $4::int) * interval '1 ms' from generate_series(0, $5::int - 1) as n`;

interface Row {
  id: string;
  mode: number;
  variant: number;
  status: string;
  chain_id: bigint;
}

const filters: fc.Arbitrary<Filter> = fc.record({
  statuses: fc.subarray(["created", "failed", "expired", "processing", "refunded"]),
  variant: fc.constantFrom(undefined, 1, 2),
  chainId: fc.constantFrom(undefined, 1n, 2n, 9n),
});

function isIn({ statuses, variant, chainId }: Filter, row: Row): boolean {
  return (
    row.mode === shop.mode &&
    (statuses.length === 0 || statuses.includes(row.status)) &&
    (variant === undefined || row.variant === variant) &&
    (chainId === undefined || BigInt(row.chain_id) === chainId)
  );
}

describeWithPostgres("pages by number", () => {
  let db: TestDatabase;
  let rows: Row[];
  beforeAll(async () => {
    db = await testDatabase("services/payments");
    for (const [nth, { from, payments, stepMs }] of PARTS.entries()) {
      await db.pool.query(FILL, [shop.projectId, nth, new Date(from), stepMs, payments]);
    }
    ({ rows } = await db.pool.query<Row>(
      "select id, mode, variant, status, chain_id from payments order by created_at desc, id desc",
    ));
  });
  afterAll(() => db?.drop());

  function rollUp(before: number) {
    const round = { before: new Date(before), limit: 10_000, hoursAbove: 500 };
    return transaction(db.pool, (tx) => rollUpCounts(tx, round), { isolation: "repeatable read" });
  }

  async function expectPage(filter: Filter, offset: number, limit: number) {
    const all = rows.filter((row) => isIn(filter, row)).map(({ id }) => id);
    const page = { limit, offset, after: undefined };
    const { payments, total } = await findPage(db.pool, shop, filter, page);
    expect(payments.map(({ id }) => id)).toEqual(all.slice(offset, offset + limit));
    expect(total).toBe(BigInt(all.length));
  }

  async function expectPages() {
    for (let offset = 300; offset < rows.length + 100; offset += 97) {
      await expectPage({ statuses: [] }, offset, 100);
    }
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.integer({ min: 300, max: rows.length }),
        fc.integer({ min: 1, max: 100 }),
        expectPage,
      ),
      { numRuns: 150 },
    );
  }

  test("pages are those of an offset before days are rolled up", expectPages);

  test("pages are those of an offset once days are rolled up, with and without their hours", async () => {
    await rollUp(OLD + 30 * DAY_MS);
    const { rows: grains } = await db.pool.query(
      "select grain, min(shard) > 0 as is_new from payment_counts group by grain, shard > 0 order by 1, 2",
    );
    expect(grains).toEqual([
      { grain: "day", is_new: false },
      { grain: "hour", is_new: false },
      { grain: "hour", is_new: true },
    ]);
    await expectPages();
  });

  test("they are those of an offset when payments of rolled-up days move", async () => {
    await db.pool.query("update payments set status = 'expired' where status = 'failed'");
    rows = rows.map((row) => (row.status === "failed" ? { ...row, status: "expired" } : row));
    await expectPages();
  });
});
