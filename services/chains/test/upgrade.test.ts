// Keys of chains begin with the project from this version on, beside the running service of the version before.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { databaseBefore, describeWithPostgres, migrateTo, type TestDatabase } from "@pay/testing";
import { toAddress, toAmount, toChainId, toTxHash } from "@pay/values";
import type { Submission } from "../src/domain/candidate.ts";
import type { NewIntent } from "../src/domain/intent.ts";
import { NATIVE } from "../src/domain/transfer.ts";
import type { Watch } from "../src/domain/watch.ts";
import { insertCandidates } from "../src/storage/candidates.ts";
import { claimUnmined, claimWaiting, insertIntents } from "../src/storage/intents.ts";
import { writeSigned } from "../src/storage/signed-transactions.ts";
import { upsertWatches } from "../src/storage/watches.ts";

const HOME = "services/chains";
const FIRST = "20270213";
const WALLET = toAddress(`0x${"a1".repeat(20)}`);
const HASH = toTxHash(`0x${"b2".repeat(32)}`);
const ELSEWHERE = "proj_2";

// The statements of the version before.
const WATCH = `
  insert into watches (payment_id, project_id, mode, request_id, chain_id, recipient, currency, base_amount, opened_at,
    expires_at, state, version, opened_xid)
  values ('pay_1', 'proj_1', 1, '', 1, '${WALLET}', 'native', 1, now(), now(), 'open', $1, 1)
  on conflict (payment_id) do update set version = excluded.version where watches.version < excluded.version`;
const CANDIDATE = `
  insert into candidates (subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, base_amount,
    not_before, give_up_at, attempt, next_at, created_at)
  values ('pay_1', 'proj_1', 1, '', 1, '${HASH}', '${WALLET}', 'native', 1, now(), now(), $1, now(), now())
  on conflict (subject_id, tx_hash) do update set attempt = excluded.attempt where candidates.attempt < excluded.attempt`;
const INTENT = `
  insert into intents (subject_id, project_id, mode, request_id, chain_id, source, destination, currency, decimals,
    base_amount, owed_since, version, state, nonce, gas_limit, signed_at, signed_block, next_at, created_at)
  values ('refund_' || $1::int, 'proj_1', 1, '', 1, '${WALLET}', '${WALLET}', 'native', 18, 1, now(), 1, 'signed', $1, 1,
    now(), 1, now(), now())
  on conflict (subject_id) do nothing`;
const SIGNED = `
  insert into signed_transactions (subject_id, ordinal, chain_id, tx_hash, raw, max_fee, priority_fee, signed_at)
  select subject_id, 1, 1, '0x' || lpad(subject_id_number, 64, '0'), '', 1, 1, now()
  from (select 'refund_' || $1::int as subject_id, $1::text as subject_id_number) as given`;

describeWithPostgres("an upgrade", () => {
  const now = new Date();
  const common = { mode: 1, requestId: "", chainId: toChainId(1) };
  const wallet = { chainId: toChainId(1), address: WALLET };
  const terms = { ...wallet, now: new Date(now.getTime() + 60_000), leaseMs: 0, max: 10 };
  let db: TestDatabase;
  beforeAll(async () => {
    db = await databaseBefore(HOME, FIRST);
    await writeAsBefore(1);
  });
  afterAll(() => db?.drop());

  async function writeAsBefore(turn: number) {
    await db.pool.query(WATCH, [turn]);
    await db.pool.query(CANDIDATE, [turn]);
    await db.pool.query(INTENT, [turn]);
    await db.pool.query(SIGNED, [turn]);
  }

  function makeWatch(projectId: string, version: number): Watch {
    return {
      ...common,
      paymentId: "pay_1",
      projectId,
      version,
      recipient: WALLET,
      currency: "native",
      baseAmount: toAmount(1n),
      openedAt: now,
      expiresAt: now,
      payer: undefined,
      payerDeclaredAt: undefined,
      payerSignedAt: undefined,
      isOpen: true,
      isCancelled: false,
      firstWins: false,
    };
  }

  function makeSubmission(projectId: string, attempt: number): Submission {
    const ofTransfer = { recipient: WALLET, currency: NATIVE, baseAmount: toAmount(1n) };
    return {
      ...common,
      subjectId: "pay_1",
      projectId,
      attempt,
      txHash: HASH,
      giveUpAt: now,
      claim: { ...ofTransfer, payer: undefined, notBefore: now, notAfter: undefined },
      payerDeclaredAt: undefined,
      merchantSubmitted: false,
      found: false,
    };
  }

  function makeIntent(projectId: string): NewIntent {
    return {
      ...common,
      subjectId: "refund_1",
      projectId,
      paymentId: "pay_1",
      source: WALLET,
      destination: WALLET,
      currency: "native",
      decimals: 18,
      baseAmount: toAmount(1n),
      owedSince: now,
      version: 1,
    };
  }

  async function kept() {
    const { rows } = await db.pool.query(`
      select w.version, c.attempt from watches w join candidates c on c.subject_id = w.payment_id`);
    return rows;
  }

  test("leaves both versions writing the same records", async () => {
    await migrateTo(HOME, db.url, () => true);
    await writeAsBefore(2);
    expect(await kept()).toEqual([{ version: 2, attempt: 2 }]);
    await upsertWatches(db.pool, [makeWatch("proj_1", 3)]);
    expect(await insertCandidates(db.pool, [makeSubmission("proj_1", 3)], now)).toBe(1);
    expect(await insertIntents(db.pool, [makeIntent("proj_1")], now)).toBe(0);
    expect(await kept()).toEqual([{ version: 3, attempt: 3 }]);
    await writeAsBefore(4);
    expect(await kept()).toEqual([{ version: 4, attempt: 4 }]);
    const signed = await claimUnmined(db.pool, terms);
    expect(signed.map(({ transactions }) => transactions.length)).toEqual([1, 1, 1]);
  });

  test("ends with ids that are a project's own", async () => {
    await db.pool.query(
      "update _prisma_migrations set finished_at = finished_at - interval '7 days'",
    );
    await migrateTo(HOME, db.url, () => true);
    await upsertWatches(db.pool, [makeWatch(ELSEWHERE, 9)]);
    expect(await insertCandidates(db.pool, [makeSubmission(ELSEWHERE, 9)], now)).toBe(1);
    const { rows } = await db.pool.query(`
      select project_id, w.version, c.attempt from watches w join candidates c using (project_id)
      order by project_id`);
    expect(rows).toEqual([
      { project_id: "proj_1", version: 4, attempt: 4 },
      { project_id: ELSEWHERE, version: 9, attempt: 9 },
    ]);

    expect(await insertIntents(db.pool, [makeIntent(ELSEWHERE)], now)).toBe(1);
    const [intent] = await claimWaiting(db.pool, terms);
    expect(intent).toMatchObject({ subjectId: "refund_1", projectId: ELSEWHERE });
    if (intent === undefined) return;
    await db.pool.query("insert into signers (chain_id, address) values (1, $1)", [WALLET]);
    const signing = {
      intent,
      nonce: 7,
      gasLimit: 1n,
      fees: { maxFee: 1n, priorityFee: 1n },
      signature: { txHash: HASH, raw: "0x01" },
    };
    const asked = { wallet, before: undefined, signings: [signing], block: 1, now, nextAt: now };
    expect(await writeSigned(db.pool, asked)).toBe(true);
    const signed = await claimUnmined(db.pool, terms);
    expect(signed.map(({ nonce, transactions }) => [nonce, transactions.length])).toEqual([
      [1, 1],
      [2, 1],
      [4, 1],
      [7, 1],
    ]);
  });
});
