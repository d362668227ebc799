// Hashes that proved nothing leave after a time, and take nothing with them that a later decision reads.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createTestRuntime } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase, until } from "@pay/testing";
import { toAddress, toAmount, toChainId, toTxHash } from "@pay/values";
import { startPurgingRejected } from "../src/attribution/purge-rejected.ts";
import { insertCandidates } from "../src/attribution/storage/candidates.ts";
import { NATIVE } from "../src/providers/domain/transfer.ts";

const DAY_MS = 86_400_000;
const CHAIN = 31_337;
const RECIPIENT = toAddress(`0x${"b2".repeat(20)}`);

function makeHash(name: string) {
  return toTxHash(`0x${Buffer.from(name).toString("hex").padEnd(64, "0")}`);
}

describeWithPostgres("rejected hashes", () => {
  let db: TestDatabase;
  const runtime = createTestRuntime("chains");
  beforeAll(async () => {
    db = await testDatabase("services/chains");
  });
  afterAll(async () => {
    await runtime.stop();
    await db?.drop();
  });

  async function candidate(
    subject: string,
    state: string,
    { daysAgo = 100, reason = "reverted", projectId = "proj_1" } = {},
  ): Promise<string> {
    const isJudged = state === "rejected" || state === "confirmed";
    const endedAt = new Date(Date.now() - daysAgo * DAY_MS);
    const { rows } = await db.pool.query<{ id: string }>(
      `insert into candidates (subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency,
         base_amount, not_before, give_up_at, attempt, state, reason, next_at, created_at, judged_at)
       values ($1, $7, 1, '', ${CHAIN}, $2, '${RECIPIENT}', 'native', 5, $3, $3, 1, $4, $5, $3, $3, $6)
       returning id`,
      [
        subject,
        makeHash(subject),
        endedAt,
        state,
        state === "rejected" ? reason : null,
        isJudged ? endedAt : null,
        projectId,
      ],
    );
    return rows[0]?.id ?? "";
  }

  async function transfer(subject: string, status = "final"): Promise<string> {
    const { rows } = await db.pool.query<{ id: string }>(
      `insert into transfers (chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time, currency, sender,
         recipient, value, status)
       values (${CHAIN}, $1, 'native', 0, 1, $1, now(), 'native', '0x' || repeat('c3', 20), '${RECIPIENT}', 4, $2)
       returning id`,
      [makeHash(subject), status],
    );
    return rows[0]?.id ?? "";
  }

  function allocate(transferId: string, candidateId: string, projectId: string) {
    return db.pool.query(
      `insert into allocations (transfer_id, project_id, mode, candidate_id, subject_id) values ($1, $3, 1, $2, 'pay_paid')`,
      [transferId, candidateId, projectId],
    );
  }

  async function subjects(): Promise<string[]> {
    const { rows } = await db.pool.query<{ subject_id: string }>(
      "select subject_id from candidates order by subject_id",
    );
    return rows.map(({ subject_id }) => subject_id);
  }

  test("are deleted after their time, unless they explain money that pays nothing", async () => {
    await candidate("pay_waiting", "waiting");
    await candidate("pay_recent", "rejected", { daysAgo: 80 });
    await candidate("pay_short", "rejected", { reason: "underpaid" });
    await transfer("pay_short");
    const paid = await candidate("pay_paid", "confirmed");
    await allocate(await transfer("pay_used"), paid, "proj_1");
    const theirs = await candidate("pay_paid", "confirmed", { projectId: "proj_2" });
    await allocate(await transfer("pay_elsewhere"), theirs, "proj_2");
    await candidate("pay_elsewhere", "rejected", { reason: "ambiguous" });
    await candidate("refund_sent", "rejected");
    await db.pool.query(
      `insert into intents (subject_id, project_id, mode, request_id, chain_id, source, destination, currency, decimals,
         base_amount, owed_since, version, next_at, created_at)
       values ('refund_sent', 'proj_1', 1, '', ${CHAIN}, '${RECIPIENT}', '${RECIPIENT}', 'native', 18, 5, now(), 1, now(),
         now())`,
    );
    await db.pool.query(
      `insert into signed_transactions (project_id, mode, subject_id, ordinal, chain_id, tx_hash, raw, max_fee,
         priority_fee, signed_at)
       values ('proj_1', 1, 'refund_sent', 1, ${CHAIN}, $1, '', 1, 1, now())`,
      [makeHash("refund_sent")],
    );
    const kept = await subjects();

    await candidate("pay_none", "rejected");
    await candidate("pay_given_up", "abandoned");
    await candidate("pay_used", "rejected", { reason: "transfer_already_used" });
    await candidate("pay_orphaned", "rejected");
    await transfer("pay_orphaned", "orphaned");
    startPurgingRejected(db.pool, runtime);
    await until(async () => (await subjects()).length === kept.length, { what: "the end" });
    expect(await subjects()).toEqual(kept);

    const now = new Date();
    const claim = {
      recipient: RECIPIENT,
      currency: NATIVE,
      baseAmount: toAmount(5n),
      notBefore: now,
    };
    const again = {
      subjectId: "pay_none",
      projectId: "proj_1",
      mode: 1,
      requestId: "",
      chainId: toChainId(CHAIN),
      txHash: makeHash("pay_none"),
      attempt: 2,
      giveUpAt: now,
      found: false,
      claim: { ...claim, notAfter: undefined, payer: undefined },
      payerDeclaredAt: undefined,
      merchantSubmitted: false,
    };
    expect(await insertCandidates(db.pool, [again], now)).toBe(1);
  });
});
