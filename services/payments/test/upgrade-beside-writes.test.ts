// An upgrade of a table with rows beside the version before, which goes on to create payments and to move old ones: no
// request fails, and none waits for as long as the size of the table takes.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Database, openDatabase } from "@pay/database";
import { createTestRuntime } from "@pay/process";
import { databaseBefore, describeWithPostgres, migrateTo, type TestDatabase } from "@pay/testing";
import { newId } from "@pay/values";

const HOME = "services/payments";
/** The first migration of this version. */
const FIRST = "20261125";
const ROWS = 50_000;
const LIST = 10_000;
const HEALTHY_WRITES = 200;
const WRITERS = 2;
const PROJECT = "proj_FFFFFFFFFFFFFFFFFFFFFFFF";
/** Of a write; a slow machine fails no write, and what is late is compared with the whole upgrade. */
const PATIENCE_MS = 30_000;
/** Unless writes were as late before the upgrade. */
const LATE_MS = 500;

const FILL = `
  insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, secret_version, expires_at, created_at, order_id)
  select 'pay_' || lpad(n::text, 24, '0'), 'proj_' || n % 100, 1, 1, case when n % 50 = 0 then 'created' else 'expired' end,
    '1.5', 1500000, 6, 'native', 1, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', false, 1, at + interval '1 hour', at, 'order ' || n
  from (select n, now() - n * interval '1 second' as at from generate_series($1::int, $2::int) as n) as made`;
const CREATE = `
  insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, secret_version, expires_at, created_at)
  values ($1, $2, 1, 1, 'created', '1.5', 1500000, 6, 'native', 1, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', false, 1,
    now() + interval '1 hour', now())`;
const MOVE = `
  update payments set status = 'expired', version = 2 where payments.id = $1 and payments.version = 1 returning payments.id`;

describeWithPostgres("an upgrade of many payments", () => {
  let db: TestDatabase;
  let service: Database;
  const runtime = createTestRuntime("payments");
  beforeAll(async () => {
    db = await databaseBefore(HOME, FIRST);
    await db.pool.query("alter table payments disable trigger user");
    for (let from = 1; from <= ROWS; from += LIST) {
      await db.pool.query(FILL, [from, from + LIST - 1]);
    }
    await db.pool.query("alter table payments enable trigger user");
    await db.pool.query("analyze payments");
    const bounds = { statementTimeoutMs: PATIENCE_MS, lockTimeoutMs: PATIENCE_MS };
    service = openDatabase({ url: db.url, poolMax: WRITERS, runtime, ...bounds });
  });
  afterAll(async () => {
    await runtime.stop();
    await db?.drop();
  });

  let moves = 0;
  /** How long each write takes, until there is an end. */
  async function write(isOver: (written: number) => boolean): Promise<number[]> {
    const took: number[] = [];
    while (!isOver(took.length)) {
      const begun = performance.now();
      if (took.length % 4 > 0) await service.pool.query(CREATE, [newId("pay"), PROJECT]);
      else {
        const id = `pay_${String(50 * ++moves).padStart(24, "0")}`;
        const { rowCount } = await service.pool.query(MOVE, [id]);
        if (50 * moves <= ROWS) expect(rowCount).toBe(1);
      }
      took.push(performance.now() - begun);
    }
    return took;
  }

  async function writeUntil(isOver: (written: number) => boolean) {
    return (await Promise.all(Array.from({ length: WRITERS }, () => write(isOver)))).flat();
  }

  test("fails no write, and holds none for long", async () => {
    const healthy = await writeUntil((written) => written >= HEALTHY_WRITES);
    const lateMs = Math.max(LATE_MS, 4 * Math.max(...healthy));
    const begun = performance.now();
    let isUpgraded = false;
    const upgrade = migrateTo(HOME, db.url, () => true).finally(() => {
      isUpgraded = true;
    });
    const [took] = await Promise.all([writeUntil(() => isUpgraded), upgrade]);
    const upgradeMs = performance.now() - begun;
    const lateInAll = took.filter((ms) => ms > lateMs).reduce((sum, ms) => sum + ms, 0);
    expect(lateInAll / WRITERS / upgradeMs).toBeLessThan(0.25);

    const { rows } = await db.pool.query("select count(*)::int as n from payment_records");
    const created = [healthy, took].flat().length - moves;
    expect(rows).toEqual([{ n: ROWS + created }]);
  });
});
