// Each query of the service finds its rows by an index, and reads few that it does not answer: transfers and candidates
// are as many as payments.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { outboxRow } from "@pay/events";
import { Mode } from "@pay/proto";
import { describeWithPostgres, type TestDatabase, testDatabase, wastefulReads } from "@pay/testing";
import { toAddress, toAmount, toChainId, toTxHash } from "@pay/values";
import type { Pool, PoolClient } from "pg";
import { type Candidate, MISSES_MIN } from "../src/attribution/domain/candidate.ts";
import { toUnprovenEvent, toVerdictEvent } from "../src/attribution/observations.ts";
import { FIRST_PLACE, purgeRejected } from "../src/attribution/purge-rejected.ts";
import { insertCandidates } from "../src/attribution/storage/candidates.ts";
import { findClaimants } from "../src/attribution/storage/claimants.ts";
import { findMatches } from "../src/attribution/storage/matches.ts";
import { listMerchantTransfers } from "../src/attribution/storage/merchant-transfers.ts";
import { repeatProofs } from "../src/attribution/storage/proofs.ts";
import { revokeProofs } from "../src/attribution/storage/revoked-proofs.ts";
import { listUnused } from "../src/attribution/storage/unused-transfers.ts";
import { writeVerdicts } from "../src/attribution/storage/verdicts.ts";
import { listRecipients } from "../src/attribution/storage/watches.ts";
import { countUnknown, listPendingBlocks } from "../src/following/storage/final-blocks.ts";
import { readOpened } from "../src/following/storage/opened-watches.ts";
import { listBlocksBelow } from "../src/following/storage/rewinds.ts";
import { writeStep } from "../src/following/storage/steps.ts";
import { findCountedTransfers, findMerchantTransfer, purgeWatches } from "../src/generated/sql.ts";
import { leaseWaiting } from "../src/payouts/storage/intents.ts";
import { sumRefundable } from "../src/payouts/storage/refundable.ts";
import { NATIVE } from "../src/providers/domain/transfer.ts";
import { expireCandidates } from "../src/verification/expire-candidates.ts";
import {
  abandonCandidates,
  leaseCandidates,
  rescheduleCandidates,
} from "../src/verification/storage/due-candidates.ts";

const ROWS = 20_000;
const TABLES = [
  "candidates",
  "transfers",
  "allocations",
  "watches",
  "blocks",
  "known_recipients",
  "intents",
];
const CHAIN = toChainId(1);
const shop = { projectId: "proj_7", mode: Mode.LIVE };

function makeHash(nth: number) {
  return toTxHash(`0x${String(nth).padStart(64, "0")}`);
}

function getWallet(nth: number) {
  return toAddress(`0x${String(nth).padStart(40, "0")}`);
}

// Of twenty thousand payments the last hundred wait, and the last ten of those before lost their block.
const WAITING = ROWS - 100;
const ORPHANED = WAITING - 10;
const RECIPIENTS = 60;
const TOKEN = toAddress(`0x${"7".repeat(40)}`);
const FILL = [
  `insert into transfers (id, chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time, currency, sender,
    recipient, value, status)
  select n, ${CHAIN}, '0x' || lpad(n::text, 64, '0'), 'native', 0, n, '0x' || lpad('b' || n, 64, '0'), now(), 'native',
    '0x' || lpad('5' || n, 40, '0'), '0x' || lpad((n % ${RECIPIENTS})::text, 40, '0'), n,
    case when n > ${WAITING} then 'seen' when n > ${ORPHANED} then 'orphaned' else 'final' end
  from generate_series(1, ${ROWS}) as n`,
  `insert into candidates (id, subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, base_amount,
    not_before, give_up_at, attempt, state, next_at, created_at, judged_at)
  select n, 'pay_' || n, 'proj_' || n % 20, 1, '', ${CHAIN}, '0x' || lpad(n::text, 64, '0'),
    '0x' || lpad((n % ${RECIPIENTS})::text, 40, '0'), 'native', n, now(), now(), 1,
    case when n > ${WAITING} then 'waiting' else 'confirmed' end, now() + n * interval '1 second', now(),
    case when n <= ${WAITING} then now() end
  from generate_series(1, ${ROWS}) as n`,
  `insert into allocations (transfer_id, project_id, mode, candidate_id, subject_id)
  select n, 'proj_' || n % 20, 1, n, 'pay_' || n from generate_series(1, ${WAITING}) as n`,
  `insert into watches (payment_id, project_id, mode, request_id, chain_id, recipient, currency, payer, base_amount,
    opened_at, expires_at, state, version, opened_xid)
  select 'pay_' || n, 'proj_' || n % 20, 1, '', ${CHAIN}, '0x' || lpad((n % ${RECIPIENTS})::text, 40, '0'), 'native',
    case when n % 3 = 0 then '0x' || lpad('5' || n, 40, '0') end, n, now() - interval '1 hour', now() + n * interval '1 minute',
    case when n % 10 = 7 then 'open' else 'closed' end, 1, n
  from generate_series(1, ${ROWS}) as n`,
  // One tenant's, each to be paid by another wallet.
  `insert into watches (payment_id, project_id, mode, request_id, chain_id, recipient, currency, payer, base_amount,
    opened_at, expires_at, state, version, opened_xid)
  select 'pay_bound_' || n, 'proj_7', 1, '', ${CHAIN}, '0x' || lpad((n % ${RECIPIENTS})::text, 40, '0'), '${TOKEN}',
    '0x' || lpad('6' || n, 40, '0'), n, now() - interval '1 hour', now() + n * interval '1 minute', 'open', 1, n
  from generate_series(1, ${ROWS}) as n`,
  // Those that a shop has cancelled, within their time.
  `insert into watches (payment_id, project_id, mode, request_id, chain_id, recipient, currency, base_amount, opened_at,
    expires_at, state, version, opened_xid, cancelled)
  select 'pay_cancelled_' || n, 'proj_7', 1, '', ${CHAIN}, '0x' || lpad((n % 6 * 10 + 7)::text, 40, '0'), 'native',
    n / 6 % 2 * ${ROWS} + 7, now() - interval '1 hour', now() + n * interval '1 second', 'open', 1, n, true
  from generate_series(1, ${ROWS}) as n`,
  // What reached a shop, and pays nothing.
  `insert into transfers (id, chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time, currency, sender,
    recipient, value, status)
  select n, ${CHAIN}, '0x' || lpad(n::text, 64, '0'), 'native', 0, n, '0x' || lpad('b' || n, 64, '0'), now(), 'native',
    '0x' || lpad('5' || n, 40, '0'), '0x' || lpad((n % ${RECIPIENTS})::text, 40, '0'), n, 'final'
  from generate_series(${ROWS + 1_000}, ${ROWS + 1_100}) as n`,
  // Each shop has a recipient, and there are as many shops as payments.
  `insert into known_recipients (project_id, mode, chain_id, recipient, currency, sender, known_since)
  select 'proj_' || n, 1, ${CHAIN}, '0x' || lpad(n::text, 40, '0'), 'native', '', now() - interval '1 hour'
  from generate_series(0, ${ROWS}) as n`,
  // Old hashes that proved nothing.
  `insert into candidates (id, subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, base_amount,
    not_before, give_up_at, attempt, state, reason, next_at, created_at, judged_at)
  select ${ROWS * 2} + n, 'pay_' || n, 'proj_' || n % 20, 1, '', ${CHAIN}, '0x' || lpad('e' || n, 64, '0'),
    '0x' || lpad((n % ${RECIPIENTS})::text, 40, '0'), 'native', n, now(), now(), 1, 'rejected', 'reverted', now(),
    now(), now() - interval '100 days' - n * interval '1 minute'
  from generate_series(1, 500) as n`,
  // Payments that were refunded to their payers, in two parts each; the second parts of a hundred wait.
  `insert into intents (subject_id, project_id, mode, request_id, payment_id, chain_id, source, destination, currency, decimals,
    base_amount, owed_since, version, state, nonce, gas_limit, signed_at, signed_block, next_at, created_at, ended_at)
  select 'refund_' || n || '_' || part, 'proj_' || n % 20, 1, '', 'pay_' || n, ${CHAIN}, '0x' || lpad('f', 40, '0'),
    '0x' || lpad('5' || n, 40, '0'), 'native', 18, 1, now(), 1, case when w then 'waiting' else 'completed' end,
    case when not w then 2 * n + part end, case when not w then 1 end, case when not w then now() end,
    case when not w then n end, now(), now(), case when not w then now() end
  from generate_series(1, ${ROWS}) as n, generate_series(0, 1) as part,
    lateral (select n > ${ORPHANED - 100} and n <= ${ORPHANED} and part = 1 as w) as waiting`,
  `insert into cursors (chain_id, epoch, leader, leased_until) values (${CHAIN}, 1, 'one', now())`,
  `insert into blocks (chain_id, number, hash, mined_at)
  select ${CHAIN}, n, '0x' || lpad('b' || n, 64, '0'), now() from generate_series(1, ${ROWS}) as n`,
];

describeWithPostgres("plans of chains", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/chains");
    // Each by itself: a busy machine needs long for all together.
    for (const statement of FILL) await db.pool.query(statement);
    for (const table of TABLES) await db.pool.query(`vacuum analyze ${table}`);
  });
  afterAll(() => db?.drop());

  const now = new Date();
  const ARRIVED = { page: { page: 1, limit: 20, after: "" }, chainId: undefined };
  /** The first that wait, of one tenant. */
  const FIRST = WAITING + 7;

  function makeCandidate(nth: number): Candidate {
    return {
      id: BigInt(nth),
      askedAt: undefined,
      subjectId: `pay_${nth}`,
      ...shop,
      requestId: "",
      chainId: CHAIN,
      txHash: makeHash(nth),
      payerDeclaredAt: undefined,
      merchantSubmitted: false,
      claim: {
        recipient: getWallet(nth % RECIPIENTS),
        currency: "native",
        payer: undefined,
        baseAmount: toAmount(BigInt(nth)),
        notBefore: now,
        notAfter: undefined,
      },
      giveUpAt: now,
      attempt: 1,
      found: false,
      misses: 0,
      sender: undefined,
      firstSeenAt: undefined,
      createdAt: now,
      epoch: 0,
      reorgedAt: undefined,
      lookedAt: undefined,
      isMined: false,
      needs: undefined,
      needsTurn: 0,
      namedOrder: 1n,
    };
  }

  function makeTransfer(nth: number) {
    return {
      txHash: makeHash(nth),
      kind: "native" as const,
      ordinal: 0,
      currency: NATIVE,
      sender: getWallet(nth),
      recipient: getWallet(nth % RECIPIENTS),
      value: toAmount(BigInt(nth)),
      blockNumber: nth,
      blockHash: makeHash(nth),
      blockTime: now,
    };
  }

  async function judge(pool: Pool) {
    const candidate = makeCandidate(FIRST);
    const [fact] = [makeTransfer(FIRST)];
    const seen = { txHash: fact.txHash, blockTime: now, blockNumber: fact.blockNumber };
    const verdict = { outcome: "proven" as const, received: fact.value, sender: fact.sender };
    const event = outboxRow(toVerdictEvent(candidate, verdict, { seen, at: now }));
    const write = { candidate, judgedHashes: 0, verdict: { ...verdict, pays: [fact] }, event };
    const evidence = { waitsFor: undefined };
    const batch = {
      verdicts: [write],
      txHash: fact.txHash,
      facts: [fact],
      evidence,
      judgedAt: now,
    };
    expect(await writeVerdicts(pool, [batch])).toEqual([true]);
  }

  test.each<[string, (db: Pool) => Promise<unknown>]>([
    [
      "new hashes",
      (pool) =>
        insertCandidates(
          pool,
          [makeCandidate(27), { ...makeCandidate(47), attempt: 2 }, makeCandidate(FIRST)],
          now,
        ),
    ],
    [
      "claimants",
      (pool) => {
        const senders = [getWallet(Number(`5${FIRST}`)), getWallet(57)];
        const claimed = {
          txHash: makeHash(FIRST),
          senders,
          values: [toAmount(7n)],
          blockTime: now,
        };
        return findClaimants(pool, [makeCandidate(FIRST)], claimed);
      },
    ],
    [
      "arrived transfers",
      (pool) => listMerchantTransfers(pool, shop, { ...ARRIVED, unmatched: undefined }),
    ],
    ["the inbox", (pool) => listMerchantTransfers(pool, shop, { ...ARRIVED, unmatched: true })],
    ["one of the inbox", (pool) => findMerchantTransfer(pool, { ...shop, id: 67n })],
    [
      "counted transfers",
      (pool) => findCountedTransfers(pool, { ...shop, subjectIds: ["pay_27", "pay_47"] }),
    ],
    [
      "due candidates",
      (pool) =>
        leaseCandidates(pool, { chainId: CHAIN, now: new Date(8e12), leaseMs: 1_000, max: 20 }),
    ],
    [
      "later looks",
      (pool) => {
        const later = {
          nextAt: now,
          misses: MISSES_MIN,
          sender: undefined,
          firstSeenAt: undefined,
        };
        const candidate = makeCandidate(FIRST);
        const event = outboxRow(toUnprovenEvent(candidate, 7, now));
        const needs = { needs: undefined, turn: 1 };
        const look = { candidate, ...later, evidence: undefined, needs, events: [event] };
        return rescheduleCandidates(pool, [look], now);
      },
    ],
    ["candidates that are given up", (pool) => abandonCandidates(pool, [makeCandidate(FIRST)])],
    ["forgotten candidates", (pool) => expireCandidates(pool, { chainIds: [CHAIN], now })],
    [
      "proofs that are taken back",
      (pool) => revokeProofs(pool as unknown as PoolClient, { chainId: CHAIN, now }),
    ],
    [
      "proofs that are said again",
      (pool) =>
        repeatProofs(pool as unknown as PoolClient, [{ ...makeCandidate(27), attempt: 2 }], now),
    ],
    [
      "blocks of a fork",
      (pool) => listBlocksBelow(pool, { chainId: CHAIN, below: 10_000, max: 50 }),
    ],
    [
      "unsettled blocks",
      (pool) => listPendingBlocks(pool, { chainId: CHAIN, height: WAITING + 50, max: 20 }),
    ],
    ["unknown transfers", (pool) => countUnknown(pool, CHAIN, [27, 47, 20_001].map(makeTransfer))],
    ["verdicts", judge],
    [
      "newly opened payments",
      async (pool) => {
        const from = BigInt(ROWS - 50);
        const { opened } = await readOpened(pool, { chainId: CHAIN, from, max: 100 });
        return opened;
      },
    ],
    [
      "payments that are looked for again",
      async (pool) => {
        const { opened } = await readOpened(pool, { chainId: CHAIN, from: 1n, max: 10 });
        // Opened after all the others were paid.
        const openedAt = new Date(Date.now() + 60_000);
        const watches = opened.map(({ watch }) => ({ ...watch, openedAt }));
        for await (const page of listUnused(pool, CHAIN, watches)) expect(page).toEqual([]);
      },
    ],
    [
      "a step of following",
      async (pool) => {
        const step = { chainId: CHAIN, leader: "one", watchedXid: 0n, blocks: [], now };
        const cursor = { epoch: 1, head: undefined, watchedXid: 0n, finalNumber: undefined };
        const head = { number: ROWS + 1, hash: makeHash(ROWS + 1), time: now };
        const transfers = [27, 47].map(makeTransfer);
        const found = [{ submission: makeCandidate(FIRST), event: undefined }];
        expect(await writeStep(pool, { ...step, cursor, head, transfers, found })).toBe(0);
      },
    ],
    [
      "payments that transfers may pay",
      (pool) =>
        findMatches(
          pool,
          CHAIN,
          [7, 27, 47].map((nth) => makeTransfer(ROWS + nth)),
        ),
    ],
    [
      "payments that a transfer may pay where other wallets are to pay all that is open",
      (pool) =>
        findMatches(
          pool,
          CHAIN,
          [7, 27, 47].map((nth) => ({
            ...makeTransfer(nth),
            currency: TOKEN,
            txHash: makeHash(9e9),
          })),
        ),
    ],
    [
      "watched recipients",
      async (pool) => {
        let n = 0;
        for await (const _ of listRecipients(pool, CHAIN)) n++;
        expect(n).toBe(RECIPIENTS / 10 + RECIPIENTS);
      },
    ],
    [
      "hashes that proved nothing",
      async (pool) => {
        const endedBefore = new Date(now.getTime() - 90 * 86_400_000);
        const page = { after: FIRST_PLACE, endedBefore, max: 100 };
        expect((await purgeRejected(pool, page)).purged).toBe(100);
      },
    ],
    [
      "what payers may get back",
      async (pool) => {
        const wallet = { chainId: CHAIN, address: toAddress(getWallet(0).replace(/0$/, "f")) };
        const due = { now: new Date(now.getTime() + 60_000), leaseMs: 5_000, max: 50 };
        const refunds = await leaseWaiting(pool, { ...wallet, ...due });
        const sums = await sumRefundable(pool, refunds);
        expect([...sums.values()].filter((sum) => sum > 0n)).toHaveLength(50);
      },
    ],
    [
      "payments whose time is over",
      (pool) =>
        purgeWatches(pool, { expiredBefore: new Date(now.getTime() + 3_600_000), max: 100 }),
    ],
  ])("%s: no row is read in vain", async (_, work) => {
    expect(await wastefulReads(db.pool, TABLES, work)).toEqual([]);
  });
});
