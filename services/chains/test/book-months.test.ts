// Accounts of the books and their months: the end of one on a real chain, records of another month, two processes.
import { expect, test } from "@jest/globals";
import { testChain, testDatabase } from "@pay/testing";
import { toAmount, toChainId } from "@pay/values";
import type { Pool } from "pg";
import { compareRecords } from "../src/books/storage/book-differences.ts";
import { leaseAccounts, type Reading, writeReadings } from "../src/books/storage/books.ts";
import { writeAllocations } from "../src/generated/sql.ts";
import { describeChains, PROJECT, SHOP, startTestChains } from "./chains.ts";
import { checkedUp, listBooks, OFTEN, readBalance, TENANT } from "./kept-books.ts";

const BLOCK = { number: 10, time: new Date() };

describeChains("the months of a wallet", () => {
  test("end with the balance at their last block", async () => {
    const chain = await testChain({ slotsInAnEpoch: 1 });
    const chains = await startTestChains({ chain, ...OFTEN });
    try {
      const [shop = "", stranger = ""] = chain.accounts.slice(5, 7);
      await chains.open({ recipientAddress: shop.toLowerCase(), baseAmount: "1000003" });
      await checkedUp(chains);
      const before = await readBalance(chain, shop);
      await chain.payNative({ from: stranger, to: shop, value: 100n });
      const last = await chain.head();
      const now = new Date();
      const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
      await chain.call("evm_setNextBlockTimestamp", [next / 1_000 + 100]);
      await chain.payNative({ from: stranger, to: shop, value: 50n });
      await checkedUp(chains);
      const months = [now, new Date(next)].map((time) => time.toISOString().slice(0, 7));
      const books = await Promise.all(months.map((month) => listBooks(chains, { month })));
      expect(books.map(([book]) => book)).toEqual([
        expect.objectContaining({
          isClosed: true,
          block: BigInt(last),
          opening: `${before}`,
          closing: `${before + 100n}`,
          balance: `${before + 100n}`,
          difference: "0",
        }),
        expect.objectContaining({
          isClosed: false,
          opening: `${before + 100n}`,
          closing: `${before + 150n}`,
          balance: `${before + 150n}`,
          difference: "0",
        }),
      ]);
      const [month = ""] = months;
      expect(await chains.client.getBookProgress({ tenant: TENANT, month })).toMatchObject({
        isUnfinished: false,
        recordedUntil: expect.anything(),
      });
    } finally {
      await chains.stop();
      await chain.stop();
    }
  });

  /** A transfer of January 2026 to the wallet, recorded in the month. */
  async function record(pool: Pool, { ordinal, at }: { ordinal: number; at: string }) {
    await pool.query(
      `with made as (
         insert into transfers (chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time,
           arrived_at, currency, sender, recipient, wallet, value, status)
         values (1, '0xa', 'native', $1, 5, '0xb', '2026-01-31T23:59:00Z', now(), 'native', '0xc', $2, $2, 7, 'final')
         returning id, chain_id, tx_hash, kind, ordinal, value, block_number, block_time
       ), moved as (
         insert into book_movements (account_id, tx_hash, kind, ordinal, is_in, value, block_number, block_time)
         select 1, tx_hash, kind, ordinal, true, value, block_number, block_time from made
       )
       insert into allocations (transfer_id, project_id, mode, subject_id, created_at)
       select id, $3, 2, 'pay_1', $4 from made`,
      [ordinal, SHOP, PROJECT, at],
    );
  }

  test("carry what is recorded in another one, and follow what is recorded anew", async () => {
    const database = await testDatabase("services/chains");
    const { pool } = database;
    const one = { transfer_id: 1n, project_id: PROJECT, mode: 2 };
    async function compare(until: string) {
      await pool.query("update book_cursors set compared_until = $1", [until]);
      expect(await compareRecords(pool, toChainId(1))).toBe("more");
      const { rows } = await pool.query(
        `select month, payments, matched, matches, carried, unproven from book_records order by month`,
      );
      return rows.map((row) => Object.values(row).join(" "));
    }

    try {
      await pool.query(
        `insert into book_accounts (chain_id, wallet, currency, opened_block, checked_block)
         values (1, $1, 'native', 0, 9)`,
        [SHOP],
      );
      await pool.query("insert into book_cursors (chain_id, compared_until) values (1, now())");
      await record(pool, { ordinal: 0, at: "2026-01-31T23:59:30Z" });
      await record(pool, { ordinal: 1, at: "2026-02-01T00:00:30Z" });
      expect(await compare("2026-01-31T23:55:00Z")).toEqual([
        "2026-01 7 14 2 7 0",
        "2026-02 7 0 0 -7 0",
      ]);
      // The same once more for another payment: it counts when it was recorded last.
      await writeAllocations(pool, { revoked: [], proven: [{ ...one, subject_id: "pay_2" }] });
      await pool.query(
        "update allocations set created_at = '2026-02-01T00:06:00Z' where transfer_id = 1",
      );
      expect(await compare("2026-02-01T00:05:00Z")).toEqual([
        "2026-01 0 14 2 14 0",
        "2026-02 14 0 0 -14 0",
      ]);
      await writeAllocations(pool, { revoked: [one], proven: [] });
      expect(await compare("2026-02-01T00:15:00Z")).toEqual([
        "2026-01 0 7 1 7 0",
        "2026-02 7 0 0 -7 0",
      ]);
      // One that was replaced before it was counted is in no sum.
      await writeAllocations(pool, { revoked: [{ ...one, transfer_id: 2n }], proven: [] });
      await pool.query("update book_corrections set recorded_at = '2026-02-01T00:16:00Z'");
      expect(await compare("2026-02-01T00:15:00Z")).toEqual([
        "2026-01 0 7 1 7 0",
        "2026-02 7 0 0 -7 0",
      ]);
      expect((await pool.query("select from book_corrections")).rowCount).toBe(0);
    } finally {
      await database.drop();
    }
  });
});

describeChains("an account of the books", () => {
  test("is checked by one process at a time, and one that was too slow changes nothing", async () => {
    const database = await testDatabase("services/chains");
    const { pool } = database;
    try {
      const wallet = `0x${"7".repeat(40)}`;
      await pool.query(
        "insert into book_accounts (chain_id, wallet, currency) values (1, $1, 'native')",
        [wallet],
      );
      function lease() {
        return leaseAccounts(pool, { chainId: toChainId(1), height: 10, max: 5, leaseMs: 600_000 });
      }

      const [first] = await lease();
      expect(await lease()).toEqual([]);
      await pool.query("update book_accounts set leased_until = now() - interval '1 second'");
      const [second] = await lease();
      if (first === undefined || second === undefined) throw new Error("both had the lease");
      function reading(account: typeof first, balance: bigint): Reading[] {
        const movements = [
          {
            accountId: account?.id ?? 0n,
            txHash: `0x${balance}`,
            kind: "native" as const,
            ordinal: 0,
            isIn: true,
            value: toAmount(balance),
            blockNumber: 9,
            blockTime: new Date(),
          },
        ];
        const difference = { recorded: balance, onChain: toAmount(balance + 1n) };
        if (account === undefined) return [];
        return [
          {
            account,
            expected: balance,
            state: { balance: toAmount(balance), nonce: 1 },
            movements,
            difference,
          },
        ];
      }

      expect(await writeReadings(pool, BLOCK, reading(first, 5n))).toBe(0);
      expect((await pool.query("select from book_movements")).rowCount).toBe(0);
      expect((await pool.query("select from book_differences")).rowCount).toBe(0);
      expect(await writeReadings(pool, BLOCK, reading(second, 7n))).toBe(1);
      expect(await writeReadings(pool, BLOCK, reading(second, 7n))).toBe(1);
      const { rows } = await pool.query("select expected, checked_block from book_accounts");
      expect(rows).toEqual([{ expected: "7", checked_block: "10" }]);
      expect((await pool.query("select from book_movements")).rowCount).toBe(1);
      expect(await lease()).toEqual([]);
    } finally {
      await database.drop();
    }
  });
});
