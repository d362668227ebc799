// What leaves the tables after its time, and what stays.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import { toChainId } from "@pay/values";
import { purgeSubmissions, purgeTransactions, purgeWatches } from "../src/generated/sql.ts";
import { endSearches } from "../src/verification/clean-up.ts";

const DAY_MS = 86_400_000;
const [CHAIN, OTHER] = [toChainId(999n), toChainId(1n)];
const WALLET = `0x${"b2".repeat(20)}`;

function makeHash(name: string) {
  return `0x${Buffer.from(name).toString("hex").padEnd(64, "0")}`;
}

function ago(days: number) {
  return new Date(Date.now() - days * DAY_MS);
}

describeWithPostgres("the clean-up of chains", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/chains");
  });
  afterAll(() => db?.drop());

  async function list(column: string, table: string): Promise<string[]> {
    const { rows } = await db.pool.query(`select ${column} as it from ${table} order by 1`);
    return rows.map(({ it }) => it);
  }

  function addTransaction(name: string, state: string, daysAgo: number) {
    return db.pool.query(
      `insert into transactions (chain_id, tx_hash, state, next_at, give_up_at, created_at)
       values ($1, $2, $3, $4, $4, $4)`,
      [CHAIN, makeHash(name), state, ago(daysAgo)],
    );
  }

  function addSubmission(name: string, outcome: string | null, daysAgo: number) {
    const isOutgoing = !name.startsWith("pay_");
    return db.pool.query(
      `insert into submissions (project_id, mode, subject_id, chain_id, tx_hash, request_id, recipient, currency, sources,
         base_amount, not_before, attempt, created_at, outcome, judged_at)
       values ('proj_1', 1, $1, $2, $3, '', $4, 'native', $5, $6, $7, 1, $7, $8, $9)`,
      [
        name,
        CHAIN,
        makeHash(name),
        WALLET,
        isOutgoing ? "[]" : null,
        isOutgoing ? 5 : null,
        ago(daysAgo),
        outcome,
        outcome === null ? null : ago(daysAgo),
      ],
    );
  }

  test("ends searches on chains without a provider, and keeps those for money that goes out", async () => {
    for (const name of ["pay_lost", "refund_lost", "stl_lost"]) {
      await addSubmission(name, null, 3);
      await addTransaction(name, "waiting", 3);
    }
    const now = new Date();
    expect(await endSearches(db.pool, { chainIds: [CHAIN], now })).toBe(0);
    expect(await endSearches(db.pool, { chainIds: [OTHER], now })).toBe(1);
    const { rows } = await db.pool.query(
      "select tx_hash from transactions where state = 'missing'",
    );
    expect(rows).toEqual([{ tx_hash: makeHash("pay_lost") }]);
    expect(await list("recipient", "attribution_queue")).toEqual([WALLET]);
  });

  test("deletes hashes that came to nothing, then their transactions", async () => {
    await db.pool.query("delete from submissions");
    await db.pool.query("delete from transactions");
    const outcomes = [
      ["pay_counted", "counted", 100],
      ["pay_open", null, 100],
      ["pay_recent", "reverted", 80],
      ["pay_old", "reverted", 100],
    ] as const;
    for (const [name, outcome, daysAgo] of outcomes) {
      await addSubmission(name, outcome, daysAgo);
      await addTransaction(name, "proven", 100);
    }
    await db.pool.query("update transactions set is_submitted = true");
    await addTransaction("found", "proven", 100);
    await addTransaction("sought", "waiting", 100);
    await addTransaction("recent", "proven", 80);
    expect(await purgeSubmissions(db.pool, { judgedBefore: ago(90), max: 10 })).toEqual([
      { purged: 1 },
    ]);
    expect(await list("subject_id", "submissions")).toEqual([
      "pay_counted",
      "pay_open",
      "pay_recent",
    ]);
    expect(await purgeTransactions(db.pool, { createdBefore: ago(90), max: 10 })).toBe(2);
    const kept = ["pay_counted", "pay_open", "pay_recent", "recent", "sought"];
    expect(await list("tx_hash", "transactions")).toEqual(kept.map(makeHash).toSorted());
  });

  test("deletes watches two days after their end, and those of deposit addresses later", async () => {
    for (const [name, days, payTo] of [
      ["pay_ended", 3, null],
      ["pay_late", 1, null],
      ["pay_deposit_ended", 31, WALLET],
      ["pay_deposit_late", 3, WALLET],
    ] as const) {
      await db.pool.query(
        `insert into watches (payment_id, project_id, mode, request_id, chain_id, recipient, currency, base_amount,
           opened_at, expires_at, ends_at, is_followed, version, reference, pay_to, opened_xid)
         values ($1, 'proj_1', 1, '', $2, $3, 'native', 5, $4, $4, $4, true, 1, $1, $5, 1)`,
        [name, CHAIN, WALLET, ago(days), payTo],
      );
    }
    const times = { endedBefore: ago(2), depositsEndedBefore: ago(30) };
    expect(await purgeWatches(db.pool, { ...times, max: 10 })).toBe(2);
    expect(await list("payment_id", "watches")).toEqual(["pay_deposit_late", "pay_late"]);
  });
});
