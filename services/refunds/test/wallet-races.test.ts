// A settlement never takes what refunds have reserved. Refunds, settlements, credits and reorganisations race for one
// wallet, and a trigger that only this test has looks at the wallet in every transaction that lets a settlement take
// more. What refunds reserve later is allowed, and is the uncovered sum.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import type { Payment, Refund, Settlement } from "@pay/proto";
import { until } from "@pay/testing";
import { compareProject } from "../src/storage/sums.ts";
import { createRandom } from "./random.ts";
import { aTenant, describeWithShop, type Shop, startShop } from "./shop.ts";

const ROUNDS = 200;
const TOGETHER = 6;
const PAYMENTS = 10;
const SEED = 20_261_122;

const WATCH = `
  create table taken_from_refunds (what text not null);
  create function watch_taking() returns trigger language plpgsql as $$
  begin
    insert into taken_from_refunds select tg_argv[0] from wallet_balances w
    where w.project_id = new.project_id and w.mode = new.mode
      and w.credited < w.reserved_refunds + w.settled;
    return null;
  end $$;
  create trigger zz_watch_request after insert on settlements
    for each row execute function watch_taking('request');
  create trigger zz_watch_approval after update on settlements
    for each row when (old.approved_at is null and new.approved_at is not null)
    execute function watch_taking('approval');`;

describeWithShop("the races for a wallet", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
    await shop.pool.query(WATCH);
  });
  afterAll(() => shop?.stop());

  /** The move, or nothing where the product refuses it. */
  async function tried<T>(move: Promise<T>): Promise<T | undefined> {
    try {
      return await move;
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  test(`in ${ROUNDS} rounds no settlement takes what refunds hold, and sums and counts match the records`, async () => {
    const random = createRandom(SEED);
    const tenant = aTenant();
    await shop.settle.openTreasury(tenant);
    const payments: Payment[] = [];
    for (let count = 0; count < PAYMENTS; count++) payments.push(await shop.pay.confirmed(tenant));
    const received = payments.map(() => true);
    const refunds: Refund[] = [];
    const requested: Settlement[] = [];

    function amount() {
      return `${random(4)}.${1 + random(9)}`;
    }

    const moves: (() => Promise<unknown>)[] = [
      async () => {
        const { id } = payments[random(PAYMENTS)] as Payment;
        const made = await tried(shop.refund(tenant, id, { amount: `0.${1 + random(5)}` }));
        if (made !== undefined) refunds.push(made);
      },
      async () => {
        const [refund] = refunds.splice(random(Math.max(refunds.length, 1)), 1);
        if (refund !== undefined)
          await shop.settleRefund("transfer.rejected", tenant, refund, { reason: "reverted" });
      },
      async () => {
        const made = await tried(shop.settle.request(tenant, { amount: amount() }));
        if (made !== undefined) requested.push(made);
      },
      async () => {
        const made = await tried(shop.settle.request(tenant));
        if (made !== undefined) requested.push(made);
      },
      async () => {
        const [settlement] = requested.splice(0, 1);
        if (settlement !== undefined) await tried(shop.settle.approve(tenant, settlement.id));
      },
      async () => {
        const settlement = requested.pop();
        if (settlement !== undefined) await tried(shop.settle.reject(tenant, settlement.id));
      },
      async () => {
        // A block disappears from the chain, or comes back.
        const at = random(PAYMENTS);
        const payment = payments[at] as Payment;
        received[at] = !received[at];
        const ten = 10n * 10n ** 18n;
        const money = received[at] ? { final: ten } : { unproven: ten };
        await shop.pay.receive(tenant, payment, money);
      },
    ];

    let uncovered = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const chosen = Array.from({ length: TOGETHER }, () => moves[random(moves.length)]);
      await Promise.all(chosen.map((move) => move?.()));
      const { credited, reserved, settled } = await shop.settle.getWallet(tenant);
      if (credited < reserved + settled) uncovered++;
    }
    const { rows } = await shop.pool.query(
      "select what, count(*) from taken_from_refunds group by 1",
    );
    expect(rows).toEqual([]);
    const expected = BigInt(received.filter(Boolean).length) * 10n * 10n ** 18n;
    await until(async () => (await shop.settle.getWallet(tenant)).credited === expected, {
      what: "the credits of the last round",
    });
    const start = { projectId: "", mode: 0 };
    expect((await compareProject(shop.pool, start, Number.MAX_SAFE_INTEGER)).broken).toEqual([]);
    process.stderr.write(`races: seed ${SEED}, ${uncovered} of ${ROUNDS} rounds ended uncovered\n`);
  });
});
