// Payments and refunds together, through every order of two hashes, their verdicts, the expiry and a refund. All
// histories go on in step, so that each round is a few lists.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type EventType, outboxRow } from "@pay/events";
import { Mode } from "@pay/proto";
import {
  brokenPromise,
  expectedAfter,
  type Hash,
  type History,
  type PaymentState,
  paymentHistories,
  type Step,
  until,
} from "@pay/testing";
import {
  aHash,
  aTenant,
  CHAIN_ID,
  describeWithShop,
  RECIPIENT,
  SHOPPER,
  type Shop,
  startShop,
} from "./shop.ts";

const AMOUNT = 10n ** 18n;
const LIST = 200;
const AT_ONCE = 16;

interface Case {
  history: History;
  id: string;
  hashes: Record<Hash, string>;
  refundId: string | undefined;
  judged: Hash[];
}

describeWithShop("every history of a payment", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  const tenant = aTenant(Mode.LIVE);

  async function begin(histories: History[]): Promise<Case[]> {
    const cases: Case[] = [];
    for (const list of listPermutations(histories)) {
      const requests = list.map(() => ({
        tenant,
        amount: "1",
        currency: "native",
        chainId: CHAIN_ID,
        variant: 1,
        recipientAddress: RECIPIENT,
      }));
      const { results } = await shop.payments.batchCreatePayments({ requests });
      for (const [at, history] of list.entries()) {
        const result = results[at]?.result;
        if (result?.case !== "payment") throw new Error(result?.value?.message);
        const hashes = { A: aHash(), B: aHash() };
        const { id } = result.value;
        cases.push({ history, id, hashes, refundId: undefined, judged: [] });
      }
    }
    return cases;
  }

  function observation(type: EventType, subjectId: string, txHash: string, more: object) {
    return outboxRow({
      type,
      ...tenant,
      resourceId: subjectId,
      resource: {
        case: "observation",
        value: {
          subjectId,
          chainId: CHAIN_ID,
          txHash,
          submittedTxHash: txHash,
          blockNumber: 7n,
          receivedBaseAmount: AMOUNT.toString(),
          currency: "native",
          ...more,
        },
      },
    });
  }

  const fromShopper = {
    senderAddress: SHOPPER.toLowerCase(),
    recipientAddress: RECIPIENT.toLowerCase(),
  };
  const fromShop = {
    senderAddress: RECIPIENT.toLowerCase(),
    recipientAddress: SHOPPER.toLowerCase(),
  };

  /** One kind of step, for all payments whose turn it is. */
  const take: Record<Step["kind"], (turns: Turn[]) => Promise<void>> = {
    submit: async (turns) => {
      for (const list of listPermutations(turns)) {
        const requests = list.map(({ one: { id, hashes }, hash }) => ({
          tenant,
          id,
          txHash: hashes[hash],
          trusted: true,
        }));
        await shop.payments.batchSubmitTransactions({ requests });
      }
    },
    judge: async (turns) => {
      const heard = turns.filter(({ before, hash }) => before.awaited.includes(hash));
      for (const { one, hash } of heard) one.judged.push(hash);
      const rows = heard.map(({ one: { id, hashes, history }, hash, before: { state } }) => {
        const proof = state.received > 0 ? "transfer.surplus" : "transfer.confirmed";
        return history.pays[hash]
          ? observation(proof, id, hashes[hash], fromShopper)
          : observation("transfer.rejected", id, hashes[hash], {
              ...fromShopper,
              reason: "wrong_token",
            });
      });
      await shop.publish(rows);
    },
    pass: async (turns) => {
      const ids = turns.map(({ one: { id } }) => id);
      await shop.paymentsPool.query(
        "update payments set expires_at = now() - interval '2 hours' where id = any($1)",
        [ids],
      );
      const waiting = `select from payments where id = any($1)
        and status in ('created', 'processing') limit 1`;
      await until(async () => (await shop.paymentsPool.query(waiting, [ids])).rowCount === 0, {
        what: "the expiry of all that waits",
      });
    },
    ask: async (turns) => {
      await eachAtOnce(turns, async ({ one }) => {
        const refund = await shop.decidedRefund(tenant, one.id).catch(() => undefined);
        one.refundId = refund?.id;
      });
    },
    payBack: async (turns) => {
      const ids = turns.flatMap(({ one: { refundId } }) => refundId ?? []);
      const rows = await eachAtOnce(ids, async (id) => {
        const { txHash = "" } = await shop.submit(tenant, id);
        return observation("transfer.confirmed", id, txHash, fromShop);
      });
      await shop.publish(rows);
    },
  };

  async function look(): Promise<Map<string, PaymentState>> {
    await shop.readEvents(tenant);
    const [payments, refunds] = await Promise.all([
      shop.paymentsPool.query(
        `select id, status, coalesce(received_base_amount, 0) / $1::numeric as received,
          (select count(*) from string_to_table(steps, e'\\n') step where step like 'c%') as confirmations
         from payments`,
        [AMOUNT.toString()],
      ),
      shop.pool.query(
        `select payment_id as id, reserved / $1::numeric as reserved, (
            select coalesce(sum(base_amount), 0) / $1::numeric from refunds
            where refunds.payment_id = balance.payment_id and status <> 'failed') as refunds
         from refund_balances balance`,
        [AMOUNT.toString()],
      ),
    ]);
    const sums = new Map(refunds.rows.map((row) => [row.id, row]));
    return new Map(
      payments.rows.map(({ id, status, received, confirmations }) => [
        id,
        {
          status,
          received: Number(received),
          confirmations: Number(confirmations),
          reserved: Number(sums.get(id)?.reserved ?? 0),
          refunds: Number(sums.get(id)?.refunds ?? 0),
        },
      ]),
    );
  }

  test("keeps proven money, never confirms twice and loses no reservation, in any order of steps", async () => {
    const all = await begin(paymentHistories());
    const rounds = all[0]?.history.steps.length ?? 0;
    for (let round = 0; round < rounds; round++) {
      const turns = all.map((one) => playTurn(one, round));
      for (const [kind, own] of Map.groupBy(turns, ({ kind }) => kind)) await take[kind](own);
      const seen = await look();
      const wrong = all.flatMap(({ history, id, judged }) => {
        const state = seen.get(id) as PaymentState;
        const expected = expectedAfter(history, round + 1).state;
        const broken = brokenPromise(history, judged, state);
        const isAsModelled = JSON.stringify(state) === JSON.stringify(expected);
        return broken || !isAsModelled ? [{ ...history, round, broken, state, expected }] : [];
      });
      expect(wrong.slice(0, 3)).toEqual([]);
    }
    expect(all.length).toBe(1_260);
  });
});

interface Turn {
  one: Case;
  kind: Step["kind"];
  hash: Hash;
  before: ReturnType<typeof expectedAfter>;
}

function playTurn(one: Case, round: number): Turn {
  const step = one.history.steps[round] as Step;
  const before = expectedAfter(one.history, round);
  return { one, kind: step.kind, hash: "hash" in step ? step.hash : "A", before };
}

function listPermutations<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / LIST) }, (_, at) =>
    items.slice(at * LIST, (at + 1) * LIST),
  );
}

async function eachAtOnce<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(act))));
  }
  return results;
}
