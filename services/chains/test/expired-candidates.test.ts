// Hashes on a chain that is configured no longer.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import {
  type IdPrefix,
  newId,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
  toTxHash,
} from "@pay/values";
import { outgoingWindow, type Submission } from "../src/attribution/domain/candidate.ts";
import { insertCandidates } from "../src/attribution/storage/candidates.ts";
import { expireCandidates } from "../src/verification/expire-candidates.ts";

const CHAIN = toChainId(999n);
const OTHER = toChainId(1n);
const DAY_MS = 86_400_000;

describeWithPostgres("a hash on a chain without a provider", () => {
  const now = new Date();
  const { giveUpAt, notBefore, notAfter } = outgoingWindow({ owedSince: now, now });
  const later = new Date(giveUpAt.getTime() + 2 * DAY_MS);
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/chains");
  });
  afterAll(() => db?.drop());

  /** A hash of that kind, and how many are given up long after it was to be found. */
  async function givenUp(prefix: IdPrefix): Promise<number> {
    const submission: Submission = {
      subjectId: newId(prefix),
      projectId: "proj_7",
      mode: 1,
      requestId: "",
      chainId: CHAIN,
      txHash: toTxHash(`0x${"7".repeat(64)}`),
      claim: {
        recipient: toAddress(`0x${"1".repeat(40)}`),
        currency: toCurrency("native"),
        payer: undefined,
        baseAmount: toAmount(7n),
        notBefore,
        notAfter,
      },
      payerDeclaredAt: undefined,
      merchantSubmitted: true,
      giveUpAt,
      attempt: 1,
      found: false,
    };
    await insertCandidates(db.pool, [submission], now);
    return expireCandidates(db.pool, { chainIds: [OTHER], now: later });
  }

  test("is abandoned a day after its payment ended", async () => {
    expect(await givenUp("pay")).toBe(1);
  });

  test.each(["refund", "stl"] as const)(
    "is kept where only a verdict frees the money that it holds: %s",
    async (prefix) => {
      expect(await givenUp(prefix)).toBe(0);
    },
  );
});
