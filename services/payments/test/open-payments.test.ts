// What chains asks before it decides whose a transfer is.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  AMOUNT,
  type Created,
  moneyChanged,
  newHash,
  proven,
  startTestPayments,
  stranger,
  type TestPayments,
  tenant,
} from "./payments.ts";

let now = new Date("2026-03-01T12:00:00Z");
let payments: TestPayments;
beforeAll(async () => {
  payments = await startTestPayments({ clock: { now: () => now } });
});
afterAll(() => payments?.stop());

const OTHER = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";

function submit({ id, clientSecret }: Created, txHash: string) {
  const requests = [{ tenant, id, clientSecret, txHash }];
  return payments.client.batchSubmitTransactions({ requests });
}

describe("the payments that may still be paid at a wallet", () => {
  const recipientAddress = `0x${"FA".repeat(20)}`;
  const place = { chainId: 31_337n, recipientAddress: recipientAddress.toLowerCase() };
  const wallet = { ...place, ...tenant };

  async function ask(since?: { transaction: bigint; paymentId: string; horizon: bigint }) {
    const found = await payments.client.findOpenPayments({ wallets: [{ ...wallet, since }] });
    const [position] = found.positions;
    if (position === undefined) throw new Error("the answer has no position");
    return { ids: found.payments.map(({ id }) => id), position, hasMore: found.hasMore };
  }

  /** A position that no transaction under way holds back any more. */
  async function settle() {
    let { position } = await ask();
    await until(async () => {
      const answer = await ask(position);
      ({ position } = answer);
      return answer.ids.length === 0;
    });
    return position;
  }

  test("are those of the tenant that are open, processing, or failed in time", async () => {
    const names = { recipientAddress };
    const [open, waiting, failed, expired, paid] = [
      await payments.create(names),
      await payments.create(names),
      await payments.create(names),
      await payments.create(names),
      await payments.create(names),
    ];
    const theirs = await payments.create({ ...names, tenant: stranger });
    await payments.create({ recipientAddress: OTHER });
    const hash = newHash();
    await submit(waiting, newHash());
    await submit(failed, hash);
    const own = { recipientAddress: place.recipientAddress };
    await payments.publish(
      moneyChanged(failed.id, 1, { ...own, hashes: [{ txHash: hash, outcome: "reverted" }] }),
    );
    await payments.client.cancelPayment({ tenant, id: expired.id });
    await payments.publish(moneyChanged(paid.id, 1, { ...proven(newHash(), AMOUNT), ...own }));
    async function find(wallets: object[]) {
      const found = await payments.client.findOpenPayments({ wallets });
      return found.payments.map(({ id, status }) => [id, status]).sort();
    }

    expect(await find([wallet, { ...place, ...stranger }])).toEqual(
      [
        [open.id, "created"],
        [theirs.id, "created"],
        [waiting.id, "processing"],
        [failed.id, "failed"],
      ].sort(),
    );
    expect(await find([{ ...wallet, chainId: 1n }])).toEqual([]);
    now = new Date(now.getTime() + 31 * 60_000);
    await until(async () => (await find([wallet])).length === 1);
  });

  test("are answered once, and again when they change", async () => {
    const before = await settle();
    const made = await payments.create({ recipientAddress });
    expect(await ask(before)).toMatchObject({ ids: [made.id], hasMore: false });
    const after = await settle();
    await payments.client.extendPayment({ tenant, id: made.id, clientSecret: made.clientSecret });
    expect((await ask(after)).ids).toEqual([made.id]);
    // A database that was set back counts from an earlier number on.
    const later = { transaction: 2n ** 50n, paymentId: "", horizon: 0n };
    expect((await ask(later)).ids).toContain(made.id);
  });

  test("are answered also where an earlier transaction commits later", async () => {
    const before = await settle();
    const slow = await payments.pool.connect();
    try {
      await slow.query("begin");
      await slow.query(COPIES, [tenant.projectId, recipientAddress, "slow", 1]);
      const made = await payments.create({ recipientAddress });
      const meanwhile = await ask(before);
      expect(meanwhile.ids).toEqual([made.id]);
      await slow.query("commit");
      expect((await ask(meanwhile.position)).ids).toContain("pay_slow1");
    } finally {
      slow.release(true);
    }
  });

  test("come in several answers where they are many, whatever others do at the same address", async () => {
    const before = await settle();
    await payments.pool.query(COPIES, [stranger.projectId, recipientAddress, "theirs", 5_000]);
    await payments.pool.query(COPIES, [tenant.projectId, recipientAddress, "many", 4_100]);
    const seen: string[] = [];
    let [at, answers] = [before, 0];
    for (let hasMore = true; hasMore; answers++) {
      const answer = await ask(at);
      seen.push(...answer.ids);
      ({ position: at, hasMore } = answer);
    }
    expect([answers, seen.length, new Set(seen).size]).toEqual([3, 4_100, 4_100]);
    expect(seen.every((id) => id.startsWith("pay_many"))).toBe(true);
  });
});

const COPIES = `
  insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, secret_version, expires_at, created_at)
  select 'pay_' || $3 || n, $1, 1, 1, 'created', '1', 1, 18, 'native', 31337, $2, false, 1,
    now() + interval '1 day', now() from generate_series(1, $4::int) as n`;
