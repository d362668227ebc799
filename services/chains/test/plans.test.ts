// With a long history, each query reads few rows that it does not need. test/statement-plans.test.ts covers the indexes
// of the rest.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createTestRuntime } from "@pay/process";
import { Mode } from "@pay/proto";
import {
  describeWithPostgres,
  type TestDatabase,
  testDatabase,
  until,
  wastefulReads,
} from "@pay/testing";
import { toAddress, toAmount, toChainId, toReference, toTxHash } from "@pay/values";
import type { Pool } from "pg";
import { listMerchantTransfers } from "../src/attribution/storage/merchant-transfers.ts";
import { storeSubmissions } from "../src/attribution/storage/submissions.ts";
import { listRecipients } from "../src/attribution/storage/watches.ts";
import { takeTurn } from "../src/attribution/take-turns.ts";
import {
  countUnknown,
  finalizeBlocks,
  listPendingBlocks,
} from "../src/following/storage/final-blocks.ts";
import { readOpened } from "../src/following/storage/opened-watches.ts";
import { listBlocksBelow, writeRewind } from "../src/following/storage/rewinds.ts";
import { writeStep } from "../src/following/storage/steps.ts";
import {
  findCountedTransfers,
  findExaminedTransfers,
  findMerchantTransfer,
  findPaymentTransactions,
  purgeSubmissions,
  purgeTransactions,
  purgeWatches,
  reopenAttributions,
} from "../src/generated/sql.ts";
import { leaseWaiting } from "../src/payouts/storage/intents.ts";
import { sumRefundable } from "../src/payouts/storage/refundable.ts";
import { endSearches } from "../src/verification/clean-up.ts";
import { buildFinding } from "../src/verification/domain/transaction.ts";
import { leaseTransactions, storeFindings } from "../src/verification/storage/transactions.ts";

const ROWS = 20_000;
const CHAIN = toChainId(1);
const shop = { projectId: "proj_7", mode: Mode.LIVE };
const tenant = { project_id: "proj_7", mode: Mode.LIVE };
/** Some of its payments. */
const SOME = Array.from({ length: 20 }, (_, nth) => nth * 100 + 7);

// Of twenty thousand payments the last hundred are unpaid, and the transfers of the last ten before them are orphaned.
const PAID = ROWS - 100;
const ORPHANED = PAID - 10;
const RECIPIENTS = 60;

function makeHash(nth: number) {
  return toTxHash(`0x${String(nth).padStart(64, "0")}`);
}

function getWallet(nth: number) {
  return toAddress(`0x${String(nth).padStart(40, "0")}`);
}

const HASH = "'0x' || lpad(n::text, 64, '0')";
const RECIPIENT = `'0x' || lpad((n % ${RECIPIENTS})::text, 40, '0')`;
const SENDER = "'0x' || lpad('5' || n, 40, '0')";
/** The last ended now, the first two days ago. */
const TIME = `now() + (n - ${ROWS}) * interval '8 seconds'`;
const WATCH = `insert into watches (payment_id, project_id, mode, request_id, chain_id, recipient, currency,
  base_amount, opened_at, expires_at, ends_at, is_followed, paid_block, is_settled, version, reference, opened_xid)`;

const FILL = [
  `insert into transfers (id, chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time, arrived_at,
    currency, sender, recipient, wallet, value, status)
  select n, ${CHAIN}, ${HASH}, 'native', 0, n, '0x' || lpad('b' || n, 64, '0'), ${TIME}, ${TIME}, 'native', ${SENDER},
    ${RECIPIENT}, ${RECIPIENT}, n, case when n > ${PAID} then 'seen' when n > ${ORPHANED} then 'orphaned' else 'final' end
  from generate_series(1, ${ROWS}) as n`,
  `insert into attributions (transfer_id, project_id, mode, wallet_key, is_open, payment_id, rule, decided_at)
  select n, project_id, 1, wallet_key(project_id, 1::smallint, ${CHAIN}, ${RECIPIENT}, 'native'), n > ${PAID},
    case when n <= ${PAID} then 'pay_' || n end, case when n <= ${PAID} then 'lone' end,
    case when n <= ${PAID} then now() end
  from (select n, 'proj_' || n % 20 as project_id from generate_series(1, ${ROWS}) as n) as numbers`,
  `insert into allocations (transfer_id, project_id, mode, subject_id)
  select n, 'proj_' || n % 20, 1, 'pay_' || n from generate_series(1, ${PAID}) as n`,
  `insert into transactions (chain_id, tx_hash, is_submitted, state, next_at, give_up_at, created_at)
  select ${CHAIN}, ${HASH}, true, case when n > ${PAID} then 'waiting' else 'proven' end, now() - interval '1 second',
    now() + interval '1 hour', ${TIME} - interval '100 days'
  from generate_series(1, ${ROWS}) as n`,
  `insert into submissions (project_id, mode, subject_id, chain_id, tx_hash, request_id, recipient, currency, not_before,
    attempt, created_at, outcome, judged_at)
  select 'proj_' || n % 20, 1, 'pay_' || n, ${CHAIN}, ${HASH}, '', ${RECIPIENT}, 'native', ${TIME}, 1, ${TIME},
    case when n <= ${PAID} then 'counted' end, case when n <= ${PAID} then ${TIME} end
  from generate_series(1, ${ROWS}) as n`,
  `${WATCH}
  select 'pay_' || n, 'proj_' || n % 20, 1, '', ${CHAIN}, ${RECIPIENT}, 'native', n, ${TIME} - interval '30 minutes',
    ${TIME} + interval '1 minute', ${TIME} + interval '1 minute', n > ${PAID}, case when n <= ${PAID} then n end,
    n <= ${PAID}, 1, 'ref_' || n, n
  from generate_series(1, ${ROWS}) as n`,
  // A wallet with many open orders, and one where each order has the price of the transfer and was paid.
  `${WATCH}
  select 'pay_open_' || n, 'proj_19', 1, '', ${CHAIN}, '0x' || lpad('59', 40, '0'), 'native', ${ROWS} + n,
    now() - interval '1 hour', now() + n * interval '1 second', now() + n * interval '1 second', true, null, false, 1,
    'ref_open_' || n, n
  from generate_series(1, ${ROWS}) as n`,
  `${WATCH}
  select 'pay_alike_' || n, 'proj_18', 1, '', ${CHAIN}, '0x' || lpad('58', 40, '0'), 'native', ${ROWS - 2}, ${TIME},
    ${TIME}, ${TIME}, false, n / 2, true, 1, 'ref_alike_' || n, n
  from generate_series(1, ${ROWS}) as n`,
  // Each shop has a recipient, and there are as many shops as payments.
  `insert into known_recipients (project_id, mode, chain_id, recipient, currency, sender, known_since)
  select 'proj_' || n, 1, ${CHAIN}, '0x' || lpad(n::text, 40, '0'), 'native', '', now() - interval '100 days'
  from generate_series(0, ${ROWS}) as n`,
  // Old hashes that came to nothing, and old transactions that were found.
  `insert into submissions (project_id, mode, subject_id, chain_id, tx_hash, request_id, recipient, currency, not_before,
    attempt, created_at, outcome, judged_at)
  select 'proj_' || n % 20, 1, 'pay_' || n, ${CHAIN}, '0x' || lpad('e' || n, 64, '0'), '', ${RECIPIENT}, 'native',
    now(), 1, now(), 'reverted', now() - interval '100 days'
  from generate_series(1, 500) as n`,
  `insert into transactions (chain_id, tx_hash, state, next_at, created_at)
  select ${CHAIN}, '0x' || lpad('f' || n, 64, '0'), 'proven', now(), now() - interval '91 days'
  from generate_series(1, 500) as n`,
  // Payments that were refunded to their payers, in two parts each; the second parts of a hundred wait.
  `insert into intents (subject_id, project_id, mode, request_id, payment_id, chain_id, source, destination, currency, decimals,
    base_amount, owed_since, version, state, nonce, gas_limit, signed_at, signed_block, next_at, created_at, ended_at)
  select 'refund_' || n || '_' || part, 'proj_' || n % 20, 1, '', 'pay_' || n, ${CHAIN}, '0x' || lpad('f', 40, '0'),
    ${SENDER}, 'native', 18, 1, now(), 1, case when w then 'waiting' else 'completed' end,
    case when not w then 2 * n + part end, case when not w then 1 end, case when not w then now() end,
    case when not w then n end, now(), now(), case when not w then now() end
  from generate_series(1, ${ROWS}) as n, generate_series(0, 1) as part,
    lateral (select n > ${ORPHANED - 100} and n <= ${ORPHANED} and part = 1 as w) as waiting`,
  `insert into attribution_queue (project_id, mode, chain_id, recipient, currency, next_at)
  select distinct 'proj_' || n % 20, 1, ${CHAIN}, ${RECIPIENT}, 'native', now() - interval '1 minute'
  from generate_series(${PAID + 1}, ${ROWS}) as n`,
  `insert into cursors (chain_id, epoch, leader, leased_until, head_number, head_hash)
  values (${CHAIN}, 1, 'one', now(), ${ROWS}, 'head')`,
  `insert into blocks (chain_id, number, hash, mined_at)
  select ${CHAIN}, n, '0x' || lpad('b' || n, 64, '0'), now() from generate_series(1, ${ROWS}) as n`,
];
const TABLES = [
  "allocations",
  "attributions",
  "blocks",
  "intents",
  "known_recipients",
  "submissions",
  "transactions",
  "transfers",
  "watches",
];

describeWithPostgres("plans of chains", () => {
  const runtime = createTestRuntime("plans");
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/chains");
    // Each by itself: a busy machine needs long for all together.
    for (const statement of FILL) await db.pool.query(statement);
    for (const table of TABLES) await db.pool.query(`vacuum analyze ${table}`);
  });
  afterAll(async () => {
    await runtime.stop();
    await db?.drop();
  });

  const now = new Date();
  const listed = { page: { page: 1, limit: 20, after: "" }, chainId: undefined };
  const cursor = {
    epoch: 1,
    head: { number: ROWS, hash: "head" },
    watchedXid: 0n,
    finalNumber: undefined,
  };

  function makeTransfer(nth: number) {
    return {
      txHash: makeHash(nth),
      kind: "native" as const,
      ordinal: 0,
      currency: "native" as const,
      sender: getWallet(nth),
      recipient: getWallet(nth % RECIPIENTS),
      value: toAmount(BigInt(nth)),
      blockNumber: nth,
      blockHash: makeHash(nth),
      blockTime: now,
      reference: undefined,
    };
  }

  test.each<[string, (db: Pool) => Promise<unknown>]>([
    [
      "a turn of decisions",
      async (pool) => {
        const taken = await takeTurn({
          pool,
          runtime,
          signingMs: 60_000,
          blockTimes: new Map(),
          getDecimals: () => 18,
          learnOrders: async () => true,
          onToVerify: () => undefined,
          onWritten: () => undefined,
          onToScreen: () => undefined,
        });
        expect(taken).toBe(50);
      },
    ],
    [
      "submitted hashes",
      (pool) =>
        storeSubmissions(
          pool,
          SOME.map((nth) => ({
            ...shop,
            subjectId: `pay_${nth}`,
            requestId: "",
            chainId: CHAIN,
            txHash: makeHash(nth),
            recipient: getWallet(nth % RECIPIENTS),
            currency: "native",
            sources: undefined,
            baseAmount: undefined,
            notBefore: now,
            attempt: 2,
            byMerchant: false,
            isAssigned: false,
            giveUpAt: now,
          })),
          now,
        ),
    ],
    [
      "transfers that are decided again",
      (pool) =>
        reopenAttributions(pool, {
          hashes: SOME.map((nth) => ({ ...tenant, chain_id: CHAIN, tx_hash: makeHash(nth) })),
          signers: SOME.slice(0, 1).map((nth) => ({
            ...tenant,
            chain_id: CHAIN,
            sender: toAddress(`0x${`5${nth}`.padStart(40, "0")}`),
            recipient: getWallet(nth % RECIPIENTS),
            since: new Date(now.getTime() - 600_000),
          })),
          payments: SOME.map((nth) => ({ project_id: "proj_7", payment_id: `pay_${nth}` })),
          references: SOME.map((nth) => toReference(`pay_${nth}`)),
        }),
    ],
    [
      "transfers of a merchant",
      (pool) => listMerchantTransfers(pool, shop, { ...listed, unmatched: undefined }),
    ],
    [
      "transfers of a transaction",
      (pool) => listMerchantTransfers(pool, shop, { page: listed.page, txHash: makeHash(67) }),
    ],
    ["a transfer of a merchant", (pool) => findMerchantTransfer(pool, { ...shop, id: 67n })],
    [
      "transfers of payments",
      (pool) => findCountedTransfers(pool, { ...shop, subjectIds: ["pay_27", "pay_47"] }),
    ],
    [
      "an explained payment",
      async (pool) => {
        await findPaymentTransactions(pool, { ...shop, paymentId: "pay_47", max: 50 });
        await findExaminedTransfers(pool, {
          ...shop,
          chainId: CHAIN,
          recipient: getWallet(47),
          currency: "native",
          txHashes: [makeHash(47)],
          max: 200,
        });
      },
    ],
    [
      "verified transactions",
      async (pool) => {
        const lease = { chainId: CHAIN, now: new Date(), leaseMs: 1_000, max: 20 };
        const leased = await leaseTransactions(pool, lease);
        expect(leased).toHaveLength(20);
        const findings = leased.map((tracked) => ({
          ...buildFinding(tracked, { nextAt: now, waitsFor: undefined }),
          state: "proven" as const,
          transfers: [makeTransfer(Number(tracked.txHash.slice(2)))],
        }));
        await storeFindings(pool, findings, now);
      },
    ],
    ["searches that end", (pool) => endSearches(pool, { chainIds: [toChainId(2)], now })],
    [
      "blocks of a fork",
      async (pool) => {
        await listBlocksBelow(pool, { chainId: CHAIN, below: 10_000, max: 50 });
        const to = { number: ROWS - 3, hash: makeHash(ROWS - 3) };
        const rewind = { chainId: CHAIN, leader: "one", cursor, to, now };
        expect(await writeRewind(pool, rewind)).toEqual({ orphaned: 3 });
      },
    ],
    [
      "final blocks",
      async (pool) => {
        const some = { chainId: CHAIN, height: PAID + 50, max: 20 };
        const final = await listPendingBlocks(pool, some);
        expect(final).toHaveLength(40);
        await finalizeBlocks(pool, { chainId: CHAIN, final, gone: [], now });
        await countUnknown(pool, CHAIN, [27, 47, ROWS + 1].map(makeTransfer));
      },
    ],
    [
      "opened payments",
      (pool) => readOpened(pool, { chainId: CHAIN, from: BigInt(ROWS - 50), max: 100 }),
    ],
    [
      "a step of following",
      async (pool) => {
        const step = { chainId: CHAIN, leader: "one", cursor, watchedXid: 0n, blocks: [], now };
        const head = { number: ROWS + 1, hash: makeHash(ROWS + 1), time: now };
        const transfers = [27, 47].map(makeTransfer);
        expect(await writeStep(pool, { ...step, head, transfers })).toBe(2);
      },
    ],
    [
      "watched recipients",
      async (pool) => {
        let n = 0;
        for await (const _ of listRecipients(pool, CHAIN)) n++;
        expect(n).toBe(RECIPIENTS);
      },
    ],
    [
      "the amount that payers may get back",
      async (pool) => {
        const wallet = { chainId: CHAIN, address: toAddress(getWallet(0).replace(/0$/, "f")) };
        const due = { now: new Date(now.getTime() + 60_000), leaseMs: 5_000, max: 50 };
        const refunds = await leaseWaiting(pool, { ...wallet, ...due });
        const sums = await sumRefundable(pool, refunds);
        expect([...sums.values()].filter((sum) => sum > 0n)).toHaveLength(50);
      },
    ],
    [
      "the clean-up",
      async (pool) => {
        const before = new Date(now.getTime() - 90 * 86_400_000);
        expect(await purgeSubmissions(pool, { judgedBefore: before, max: 100 })).toEqual([
          { purged: 100 },
        ]);
        expect(await purgeTransactions(pool, { createdBefore: before, max: 100 })).toBe(100);
        expect(
          await purgeWatches(pool, { endedBefore: now, depositsEndedBefore: now, max: 100 }),
        ).toBe(100);
      },
    ],
  ])("%s: no row is read in vain", async (_, work) => {
    expect(await wastefulReads(db.pool, TABLES, work)).toEqual([]);
  });

  test("a step that waits for a verification holds nothing that this still has to write", async () => {
    const transfers = [ROWS].map(makeTransfer);
    const head = { number: ROWS + 1, hash: makeHash(ROWS + 1), time: now };
    const verifying = await db.pool.connect();
    try {
      await verifying.query("begin");
      await verifying.query("select from transactions where tx_hash = $1 for update", [
        makeHash(ROWS),
      ]);
      const step = { chainId: CHAIN, leader: "one", cursor, watchedXid: 0n, blocks: [], now };
      const written = writeStep(db.pool, { ...step, head, transfers });
      const { rows: own } = await verifying.query("select pg_backend_pid() as pid");
      const waiting = "select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))";
      await until(async () => (await db.pool.query(waiting, [own[0].pid])).rowCount === 1);
      const { rows } = await verifying.query(
        "select id from transfers where tx_hash = $1 for update nowait",
        [makeHash(ROWS)],
      );
      expect(rows).toHaveLength(1);
      await verifying.query("commit");
      expect(await written).toBe(1);
    } finally {
      verifying.release();
    }
  });
});
