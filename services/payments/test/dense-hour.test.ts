// A busy merchant has tens of thousands of payments in one hour. A page within it is not read through all of them.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import {
  countPages,
  describeWithPostgres,
  type Plan,
  readPlan,
  type TestDatabase,
  testDatabase,
} from "@pay/testing";
import type { Pool } from "pg";
import { findPage } from "../src/storage/listing/page.ts";

const ROWS = 20_000;
const PER_SECOND = 6;
const LIMIT = 20;
const shop = { projectId: "proj_KKKKKKKKKKKKKKKKKKKKKKKK", mode: Mode.LIVE };

// As ids and times of a busy hour, between the payments of other projects.
const FILL = `
  insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, secret_version, expires_at, created_at)
  select 'pay_' || lpad(n::text, 24, '0'), case n % 3 when 0 then 'proj_' || lpad((n % 40)::text, 24, '0') else $1 end, 1, 1,
    (array['created', 'failed', 'expired', 'failed'])[1 + n % 4], '1', 1, 18, 'native', 1 + n % 10 / 7, '0x', false, 1, now(),
    date_trunc('hour', now() - interval '1 hour') + n * interval '1 hour' / (1 + $2::int)
  from generate_series(1, $2::int) as n`;

const newShop = { projectId: "proj_NNNNNNNNNNNNNNNNNNNNNNNN", mode: Mode.LIVE };
const BURST_ROWS = 8_000;
const BURST_PER_SECOND = 400;
// All within twenty seconds of an hour.
const FILL_BURST = `
  insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, secret_version, expires_at, created_at)
  select 'pay_' || lpad(($2::int + n)::text, 24, '0'), $1, 1, 1, 'created', '1', 1, 18, 'native', 1, '0x', false, 1, now(),
    date_trunc('hour', now() - interval '1 hour') + interval '10 minutes' + n * interval '1 second' / $3::int
  from generate_series(1, $2::int) as n`;

function listFunctions(plan: Plan): Plan[] {
  const within = (plan.Plans ?? []).flatMap(listFunctions);
  return plan["Node Type"] === "Function Scan" ? [plan, ...within] : within;
}

describeWithPostgres("an hour of many payments", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/payments");
    await db.pool.query(FILL, [shop.projectId, ROWS * 1.5]);
    await db.pool.query("vacuum analyze");
  });
  afterAll(() => db?.drop());

  /** The page, and what reading it has cost once PostgreSQL has its catalog in memory. */
  async function pageAt(offset: number, owner = shop) {
    const page = { limit: LIMIT, offset, after: undefined };
    let counted = 0;
    async function read(pool: Pool) {
      const found = await findPage(pool, owner, { statuses: [] }, page);
      expect([found.payments.length, found.total]).toEqual([LIMIT, BigInt(readRows(owner))]);
      counted = Number(found.counted);
    }

    await readPlan(db.pool, read);
    return { plan: await readPlan(db.pool, read), counted };
  }

  function readRows(owner: typeof shop) {
    return owner === shop ? ROWS : BURST_ROWS;
  }

  // The payments before the page, or after it, are counted, and with them those of a second and of an estimate.
  test.each([
    ["newest", 780, 780],
    ["oldest", ROWS - 800, 800],
    ["in the middle", ROWS / 2, ROWS / 2],
  ])(
    "the %s of its pages read what lies between them and the nearer end",
    async (_, offset, between) => {
      const { plan, counted } = await pageAt(offset);
      expect(counted).toBeGreaterThan(between / 2);
      expect(counted).toBeLessThan(between * 1.3 + PER_SECOND * 2);
      // Those that are counted lie close together in the table; the rest is the counts, and the few rows of the page.
      expect(countPages(plan)).toBeLessThan(counted + 300);
      const rows = listFunctions(plan).find(
        (scan) => scan["Function Name"] === "list_payments_of_kind",
      );
      // Of each kind.
      expect(rows?.["Actual Rows"]).toBeLessThan(LIMIT + PER_SECOND * 2);
    },
  );

  test("those of a new merchant with all payments within seconds read no more either", async () => {
    await db.pool.query(FILL_BURST, [newShop.projectId, BURST_ROWS, BURST_PER_SECOND]);
    for (const offset of [780, BURST_ROWS - 800]) {
      const { plan, counted } = await pageAt(offset, newShop);
      expect(counted).toBeLessThan(800 * 1.3 + BURST_PER_SECOND * 2);
      expect(countPages(plan)).toBeLessThan(counted + 300);
    }
  });
});
