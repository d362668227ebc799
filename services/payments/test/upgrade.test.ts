// Payments of the version before move into the parts by status beside the running service of that version.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { databaseBefore, describeWithPostgres, migrateTo, type TestDatabase } from "@pay/testing";
import { toTxHash } from "@pay/values";
import { findByNames, findSubmitted } from "../src/storage/internal.ts";
import { findSteps } from "../src/storage/timelines.ts";

const HOME = "services/payments";
const FIRST = "20261125003000_payments_by_state";
const MOVE = "20261125003100_move_payments";
const PROJECT = "proj_FFFFFFFFFFFFFFFFFFFFFFFF";
const HASH = `0x${"1a".repeat(32)}`;
const OTHER_HASH = `0x${"2b".repeat(32)}`;
const WALLET = `0x${"3c".repeat(20)}`;
/** As a merchant wrote them. */
const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const TOKEN = "0xABCDEFabcdefABCDEFabcdefabcdefabcdefABCD";
const COUNT = 4_500;

function getId(n: number) {
  return `pay_${String(n).padStart(24, "0")}`;
}

function getName(n: number) {
  return { projectId: PROJECT, paymentId: getId(n) };
}

// The statements of the version before.
const CREATE = `insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency,
    chain_id, recipient_address, qr_mode, secret_version, expires_at, created_at)
  select $1, $2, 1, 1, 'created', '1', 1, 18, 'native', 1, $3, false, 1, now() + interval '1 hour', now() returning id`;
const SUBMIT = `update payments set status = 'processing', tx_hash = $2, attempts = 1, version = $3
  where payments.id = $1 and payments.version = $3 - 1 returning payments.id`;
const CONFIRM = `update payments set status = 'confirmed', confirmed_at = now(), block_number = 7,
    sender_address = $3, payer_address = $3, received_base_amount = 1, version = $2
  where payments.id = $1 and payments.version = $2 - 1 returning payments.id`;

describeWithPostgres("an upgrade", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await databaseBefore(HOME, FIRST);
    await db.pool.query(
      `insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency,
         chain_id, recipient_address, qr_mode, secret_version, expires_at, created_at)
       select 'pay_' || lpad(n::text, 24, '0'), $1, 1, 1, 'created', '1', 1, 18, case when n % 2 = 1 then $4 else 'native' end,
         1, case when n % 3 = 1 then $2 else lower($2) end, false, 1, now() + interval '1 hour',
         now() - n * interval '1 minute' from generate_series(1, $3) as n`,
      [PROJECT, RECIPIENT, COUNT, TOKEN],
    );
    await db.pool.query(SUBMIT, [getId(1), HASH, 2]);
    await db.pool.query(
      `update payments set tx_hash = $2, attempts = 2, version = 3,
         other_hashes = jsonb_build_array(jsonb_build_object('hash', $3::text, 'by_merchant', false, 'verdict', null))
       where id = $1`,
      [getId(1), OTHER_HASH, HASH],
    );
    await db.pool.query(CONFIRM, [getId(1), 4, WALLET]);
    await db.pool.query("update payments set status = 'expired', version = 2 where id = $1", [
      getId(2),
    ]);
  });
  afterAll(() => db?.drop());

  function upgradeTo(isWanted: (name: string) => boolean) {
    return migrateTo(HOME, db.url, isWanted);
  }

  function total(table: string) {
    return db.pool
      .query(`select status, sum(payments)::int as n from ${table} where grain = 'day'
        or (grain = 'hour' and shard >= 8) group by status having sum(payments) <> 0 order by status`)
      .then(({ rows }) => rows);
  }

  test("leaves the version before at work, loses no payment, step or total, and keeps every value", async () => {
    const before = await db.pool.query("select * from payments order by id");
    const steps = await db.pool.query(
      "select payment_id, event, status, reason, tx_hash from payment_timeline order by payment_id, id",
    );
    await upgradeTo((name) => name <= FIRST);
    const list = await db.pool.query("select * from payments order by id");
    expect(list.rows).toEqual(before.rows);
    const stepsAfter = await db.pool.query(
      "select payment_id, event, status, reason, tx_hash from payment_timeline order by payment_id, id",
    );
    expect(stepsAfter.rows).toEqual(steps.rows);

    // Before the payments move, and after.
    for (const [n, upgrade] of [
      [COUNT + 1, async () => {}],
      [COUNT + 2, () => upgradeTo((name) => name <= MOVE)],
      [COUNT + 3, () => upgradeTo(() => true)],
    ] as const) {
      await upgrade();
      expect((await db.pool.query(CREATE, [getId(n), PROJECT, RECIPIENT])).rowCount).toBe(1);
      for (const id of [getId(n), getId(n - COUNT + 9)]) {
        expect((await db.pool.query(SUBMIT, [id, HASH, 2])).rowCount).toBe(1);
        expect((await db.pool.query(SUBMIT, [id, HASH, 2])).rowCount).toBe(0);
        expect((await db.pool.query(CONFIRM, [id, 3, WALLET])).rowCount).toBe(1);
      }
      await db.pool.query(
        `insert into payment_timeline (payment_id, event, status, happened_at, reason, tx_hash)
         select id, 'paid_late', status, now(), 'late', $2 from payments where id = $1`,
        [getId(2), `0x${String(n).padStart(64, "0")}`],
      );
    }

    const [first] = await findByNames(db.pool, [getName(1)]);
    expect(first).toMatchObject({
      status: "confirmed",
      tx_hash: OTHER_HASH,
      payer_address: WALLET,
      block_number: 7n,
      other_hashes: [{ hash: HASH, by_merchant: false, verdict: null }],
      recipient_address: RECIPIENT,
      currency: TOKEN,
    });
    expect(await findByNames(db.pool, [getName(2), getName(COUNT + 1)])).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: getId(2),
          recipient_address: RECIPIENT.toLowerCase(),
          currency: "native",
        }),
        expect.objectContaining({ id: getId(COUNT + 1), recipient_address: RECIPIENT }),
      ]),
    );
    const found = await findByNames(db.pool, [getName(1), getName(2), getName(COUNT + 1)]);
    const timelines = await findSteps(db.pool, found);
    expect(timelines.get(getId(1))?.map(({ event, tx_hash }) => [event, tx_hash])).toEqual([
      ["transaction_submitted", HASH],
      ["transaction_submitted", OTHER_HASH],
      ["confirmed", OTHER_HASH],
    ]);
    expect(timelines.get(getId(2))?.map(({ event }) => event)).toEqual([
      "expired",
      "paid_late",
      "paid_late",
      "paid_late",
    ]);
    expect(timelines.get(getId(COUNT + 1))?.map(({ event }) => event)).toEqual([
      "transaction_submitted",
      "confirmed",
    ]);
    const asked = [{ ...getName(1), txHash: toTxHash(HASH) }];
    expect(await findSubmitted(db.pool, asked)).toEqual(new Set([getId(1)]));

    const { rows: counts } = await db.pool.query(
      "select status, count(*)::int as n from payment_records group by status order by status",
    );
    expect(counts).toEqual([
      { status: "confirmed", n: 7 },
      { status: "created", n: COUNT - 5 },
      { status: "expired", n: 1 },
    ]);
    expect(await total("payment_spans")).toEqual(counts);
  });
});
