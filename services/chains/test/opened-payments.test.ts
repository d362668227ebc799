// How the leader of a chain reads the payments that were opened since it last looked.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import { toChainId } from "@pay/values";
import { loadChainLease, takeOpened } from "../src/following/chain-lease.ts";

const CHAIN = toChainId(1n);
/** More than are read at once, and of two transactions. */
const OPENED = [5_002, 3];
const OPEN = `
  insert into watches (payment_id, project_id, mode, request_id, chain_id, recipient, currency, base_amount, opened_at,
    expires_at, ends_at, is_held, is_accepted, is_followed, version, reference, opened_xid)
  select 'pay_' || n, 'proj_' || n % 2, 1, '', 1, '0x' || lpad('1', 40, '0'), 'native', 7, now(), now() + interval '1 hour',
    now() + interval '1 hour', false, false, true, 1, 'ref_' || n, pg_current_xact_id()::text::bigint
  from generate_series($1::int, $2::int) as n`;

describeWithPostgres("payments that are opened while an older transaction is open", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/chains");
  });
  afterAll(() => db?.drop());

  test("are read once each, also one that is committed late", async () => {
    const older = await db.pool.connect();
    try {
      await older.query("begin");
      await older.query(OPEN, [0, 0]);
      let last = 0;
      for (const count of OPENED) {
        await db.pool.query(OPEN, [last + 1, last + count]);
        last += count;
      }
      const cursor = { epoch: 1, head: undefined, watchedXid: 0n, finalNumber: undefined };
      const lead = await loadChainLease(db.pool, CHAIN, cursor);
      async function taken() {
        const opened = await takeOpened(db.pool, CHAIN, lead);
        opened.handled();
        lead.cursor = { ...lead.cursor, watchedXid: opened.watchedXid };
        return { ids: opened.watches.map(({ paymentId }) => paymentId), isWhole: opened.isWhole };
      }

      const first = await taken();
      const second = await taken();
      expect([first.isWhole, second.isWhole]).toEqual([false, true]);
      const all = [...first.ids, ...second.ids];
      expect(all).toHaveLength(last);
      expect(new Set(all).size).toBe(last);
      expect(await taken()).toEqual({ ids: [], isWhole: false });
      await older.query("commit");
      expect(await taken()).toEqual({ ids: [], isWhole: true });
      expect((await taken()).ids).toEqual(["pay_0"]);
    } finally {
      older.release(true);
    }
  });
});
