// Payments and refunds together through random histories: parts, late money, surplus, reorganisations, expiry, refunds,
// verdicts, cancellations and declarations. In every state, what is proven less the refunds that have not failed is
// what can be refunded. All histories go on in step.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import type { Payment, Refund } from "@pay/proto";
import { until } from "@pay/testing";
import { toAmount, toDecimal } from "@pay/values";
import { compareBalances, compareProject } from "../src/storage/sums.ts";
import { createRandom } from "./random.ts";
import { aTenant, describeWithShop, SHOPPER, type Shop, startShop, TREASURY } from "./shop.ts";

const ONE = 10n ** 18n;
const PAYMENTS = 24;
const ROUNDS = 12;
const SEED = 20_261_127;
const ALL = 100_000;
const REFUNDABLE = ["confirmed", "refunded", "failed", "expired"];

interface Story {
  payment: Payment;
  refunds: Refund[];
}

describeWithShop("random histories of payments and refunds", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  const tenant = aTenant();
  const random = createRandom(SEED);

  function pick<T>(items: readonly T[]): T | undefined {
    return items[random(items.length || 1)];
  }

  /** The result, or nothing where the product refuses. */
  async function tried<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  /** A random one of the story's refunds in this status. */
  async function findRefund({ refunds }: Story, status: string): Promise<Refund | undefined> {
    const read = await Promise.all(refunds.map(({ id }) => shop.getRefund(tenant, id)));
    return pick(read.filter((refund) => refund.status === status && refund.needs === undefined));
  }

  async function judge(story: Story, type: string, reason = "") {
    const refund = await findRefund(story, "created");
    if (refund === undefined) return;
    await tried(shop.settleRefund(type, tenant, refund, reason === "" ? {} : { reason }));
  }

  const moves: Record<string, (story: Story) => Promise<unknown>> = {
    receive: ({ payment }) => {
      const final = (pick([0n, 4n, 10n, 14n]) ?? 0n) * ONE;
      return shop.pay.receive(tenant, payment, { final, unproven: BigInt(random(2)) * 2n * ONE });
    },
    receiveLate: ({ payment }) => shop.pay.receive(tenant, payment, { final: ONE, late: 3n * ONE }),
    expire: ({ payment: { id } }) =>
      shop.paymentsPool.query(
        "update payments set expires_at = now() - interval '2 hours' where id = $1",
        [id],
      ),
    refund: async ({ payment: { id }, refunds }) => {
      const amount = pick([undefined, "1.5", "4"]);
      const change = { ...(amount !== undefined && { amount }), surplus: random(3) === 0 };
      const destinationAddress = pick([undefined, SHOPPER, TREASURY]);
      const to = destinationAddress === undefined ? {} : { destinationAddress };
      const made = await tried(shop.refund(tenant, id, { ...change, ...to }));
      if (made !== undefined) refunds.push(made);
    },
    declare: async (story) => {
      await tried(shop.payments.refundPayment({ tenant, id: story.payment.id }));
      await shop.readEvents(tenant);
      const ofPayment = { tenant, paymentIds: [story.payment.id] };
      story.refunds = (await shop.refunds.batchListRefunds(ofPayment)).refunds;
    },
    payBack: (story) => judge(story, "transfer.confirmed"),
    reject: (story) => judge(story, "transfer.rejected", "reverted"),
    cancel: async (story) => {
      const refund = await findRefund(story, "created");
      if (refund !== undefined) await tried(shop.refunds.cancelRefund({ tenant, id: refund.id }));
    },
    reorg: async (story) => {
      const refund = await findRefund(story, "completed");
      if (refund !== undefined)
        await shop.judge("transfer.unseen", tenant, refund, refund.txHash ?? "");
    },
  };

  function sum(refunds: readonly Refund[]): bigint {
    return refunds.reduce((total, { baseAmount }) => total + BigInt(baseAmount), 0n);
  }

  async function look({ payment: { id } }: Story) {
    const payment = await shop.pay.get(tenant, id);
    const { refunds } = await shop.refunds.batchListRefunds({ tenant, paymentIds: [id] });
    const reserved = sum(refunds.filter(({ status }) => status !== "failed"));
    const completed = sum(refunds.filter(({ status }) => status === "completed"));
    return { payment, reserved, completed, received: BigInt(payment.finalBaseAmount ?? 0) };
  }

  async function expectSums(story: Story) {
    const { payment, reserved, completed, received } = await look(story);
    const { id } = payment;
    const { rows } = await shop.pool.query(
      "select received, reserved, completed from refund_balances where payment_id = $1",
      [id],
    );
    const [row = { received, reserved: 0, completed: 0 }] = rows;
    const kept = [BigInt(row.received), BigInt(row.reserved), BigInt(row.completed)];
    expect({ id, kept }).toEqual({ id, kept: [received, reserved, completed] });
    expect({ id, told: BigInt(payment.refundedBaseAmount ?? 0) }).toEqual({ id, told: completed });
    return payment.status;
  }

  /** Requests all that is left, and one unit more. */
  async function expectRefundable(story: Story) {
    const { payment, reserved, received } = await look(story);
    const { id, status } = payment;
    const left = received - reserved;
    async function ask(base: bigint) {
      const amount = toDecimal(toAmount(base), 18);
      const request = { amount, destinationAddress: SHOPPER };
      return shop.decidedRefund(tenant, id, request).then(
        (made) => made.baseAmount,
        ({ errorCode }: Failure) => errorCode,
      );
    }

    if (!REFUNDABLE.includes(status) || received === 0n) {
      expect({ status, answer: await ask(1n) }).toEqual({
        status,
        answer: "payment_not_refundable",
      });
    } else if (left <= 0n) {
      expect({ status, answer: await ask(1n) }).toEqual({
        status,
        answer: "payment_fully_refunded",
      });
    } else {
      const answers = [await ask(left + 1n), await ask(left)];
      expect({ status, answers }).toEqual({
        status,
        answers: ["refund_amount_too_large", String(left)],
      });
    }
  }

  test("what is proven less the refunds that have not failed is what can be refunded", async () => {
    const stories: Story[] = [];
    for (let made = 0; made < PAYMENTS; made++) {
      stories.push({ payment: await shop.pay.create(tenant), refunds: [] });
    }
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const chosen = stories.map(() => pick(Object.values(moves)));
      await Promise.all(stories.map((story, at) => chosen[at]?.(story)));
      await shop.readEvents(tenant);
      const statuses = await Promise.all(stories.map(expectSums));
      for (const status of statuses) seen.add(status);
    }
    const open = `select from payments where status in ('created', 'pending') and expires_at < now()`;
    await until(async () => (await shop.paymentsPool.query(open)).rowCount === 0, {
      what: "the expiry of all that waits",
    });
    await shop.readEvents(tenant);
    expect([...seen]).toEqual(expect.arrayContaining(REFUNDABLE.filter((one) => one !== "failed")));
    for (const story of stories) await expectRefundable(story);

    const start = { projectId: "", paymentId: "" };
    expect((await compareBalances(shop.pool, start, ALL)).broken).toEqual([]);
    expect((await compareProject(shop.pool, { projectId: "", mode: 0 }, ALL)).broken).toEqual([]);
    const finals = await Promise.all(stories.map(async (story) => (await look(story)).received));
    const received = finals.reduce((total, final) => total + final, 0n);
    await until(async () => (await shop.settle.getWallet(tenant)).credited === received, {
      what: "the credits of all payments",
    });
  });
});
