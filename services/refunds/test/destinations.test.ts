// Where refunds may go, and where settlements may go: the address book; and how much a person with limits refunds.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { until } from "@pay/testing";
import { ZERO_ADDRESS } from "@pay/values";
import {
  aTenant,
  CHAIN_ID,
  DELAY_HOURS,
  describeWithShop,
  EXCHANGE,
  failure,
  RECIPIENT,
  SHOPPER,
  type Shop,
  startShop,
  TREASURY,
} from "./shop.ts";

const ONE = 10n ** 18n;
function keyed(key: string) {
  return { idempotency: { route: "POST /v1/refunds", key, fingerprint: Buffer.from("1") } };
}

/** Creation code of a contract that does nothing. */
const CONTRACT = "6001600c60003960016000f300";

describeWithShop("the destination of a refund", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  test("a refund goes to the requested address, else to the one wallet that sent enough", async () => {
    const tenant = aTenant();
    const senders = { [SHOPPER]: 6n * ONE, [TREASURY]: 4n * ONE };
    const { id } = await shop.pay.confirmed(tenant, {}, { senders });
    const one = await shop.refund(tenant, id, { amount: "5" });
    expect(one.destinationAddress).toBe(SHOPPER);
    expect((await shop.refund(tenant, id, { amount: "2" })).destinationAddress).toBe(TREASURY);
    await expect(shop.refund(tenant, id)).rejects.toMatchObject({
      errorCode: "refund_destination_required",
    });
    const request = { amount: "1", destinationAddress: EXCHANGE };
    expect((await shop.refund(tenant, id, request)).destinationAddress).toBe(EXCHANGE);
  });

  test.each<[string, Record<string, bigint>, string]>([
    [
      "wallets that paid several equal orders together",
      {},
      "no wallet is known to have sent as much",
    ],
    ["a mint", { [ZERO_ADDRESS]: 10n * ONE }, "the tokens were minted, no wallet sent them"],
  ])("a payment by %s gives no default destination", async (_, senders, why) => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant, {}, { senders });
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(
      failure(
        "refund_destination_required",
        `destinationAddress is required for this payment: ${why}. Ask your customer for a wallet`,
      ),
    );
    expect((await shop.readBalance(id)).reserved).toBe(0n);
    const refund = await shop.refund(tenant, id, { destinationAddress: SHOPPER });
    expect(refund.destinationAddress).toBe(SHOPPER);
  });

  test("a refund goes to a shared address only by an explicit request", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant, {}, { senders: { [EXCHANGE]: 10n * ONE } });
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(
      failure(
        "refund_destination_required",
        "destinationAddress is required for this payment: many people share the wallet that paid, as at an exchange. Ask your customer for a wallet",
      ),
    );
    const refund = await shop.refund(tenant, id, { destinationAddress: EXCHANGE });
    expect(refund.destinationAddress).toBe(EXCHANGE);
  });

  test("a caller who may not name any address refunds to one of the address book after its delay", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    const request = { amount: "1", destinationAddress: TREASURY, anyDestination: false };
    const forbidden = failure("refund_destination_forbidden");
    await expect(shop.refund(tenant, id, request)).rejects.toMatchObject(forbidden);
    const entry = { tenant, address: TREASURY.toLowerCase(), createdBy: "key_a" };
    await shop.settlements.createDestination({ ...entry, chainId: CHAIN_ID + 1n });
    await shop.settlements.createDestination({ ...entry, chainId: CHAIN_ID });
    const idempotency = { route: "POST /a", key: "one", fingerprint: Buffer.alloc(32) };
    const keyed = { ...request, idempotency };
    await expect(shop.refund(tenant, id, keyed)).rejects.toMatchObject(forbidden);
    expect((await shop.readBalance(id)).reserved).toBe(0n);
    shop.clock.move(DELAY_HOURS * 3_600_000);
    // The refusal was not stored under the key.
    const refund = await shop.refund(tenant, id, keyed);
    expect(refund).toMatchObject({
      destinationAddress: TREASURY,
      destinationSource: "address_book",
    });
    const payer = { amount: "1", destinationAddress: SHOPPER.toLowerCase(), anyDestination: false };
    expect(await shop.refund(tenant, id, payer)).toMatchObject({ destinationSource: "payer" });
    const sources = (await shop.readEvents(tenant)).map(({ resource }) =>
      resource.case === "refund" ? resource.value.destinationSource : undefined,
    );
    expect(sources).toEqual(["address_book", "payer"]);
    const other = shop.refund(aTenant(), id, request);
    await expect(other).rejects.toMatchObject(failure("payment_not_found"));
  });

  test("a contract that paid gets a refund only by an explicit request", async () => {
    const tenant = aTenant();
    const contract = await shop.chain.deploy(CONTRACT);
    const { id } = await shop.pay.confirmed(tenant, {}, { senders: { [contract]: 10n * ONE } });
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(
      failure(
        "refund_destination_required",
        "destinationAddress is required for this payment: the wallet that paid is a contract, as of an exchange. Ask your customer for a wallet",
      ),
    );
    const refund = await shop.refund(tenant, id, { destinationAddress: SHOPPER });
    expect(refund.destinationAddress).toBe(SHOPPER);
  });
});

describeWithShop("the address book", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  test("rejects a settlement to an address until its delay is over", async () => {
    const tenant = aTenant();
    await shop.pay.confirmed(tenant);
    await until(async () => (await shop.settle.getWallet(tenant)).credited > 0n, {
      what: "the credit of the wallet",
    });
    await expect(shop.settle.request(tenant)).rejects.toEqual(
      failure("settlement_destination_unknown", "destinationAddress is not in the address book"),
    );
    const address = TREASURY.toLowerCase();
    const entry = { tenant, chainId: 31_337n, address, label: "Treasury", createdBy: "key_a" };
    const { destination } = await shop.settlements.createDestination(entry);
    expect(destination).toMatchObject({ address: TREASURY, label: "Treasury" });
    await expect(shop.settle.request(tenant)).rejects.toEqual(
      failure("settlement_destination_pending"),
    );
    shop.clock.move((DELAY_HOURS - 1) * 3_600_000);
    await expect(shop.settle.request(tenant)).rejects.toEqual(
      failure("settlement_destination_pending"),
    );
    shop.clock.move(3_600_000);
    expect((await shop.settle.request(tenant)).status).toBe("requested");
  });

  test("rejects an approval by the key that added the destination", async () => {
    const tenant = aTenant();
    await shop.settle.openTreasury(tenant);
    await shop.pay.confirmed(tenant);
    await shop.settle.credited(tenant, 10n ** 19n);
    const { id } = await shop.settle.request(tenant, { requestedBy: "key_c" });
    await expect(shop.settle.approve(tenant, id, "key_a")).rejects.toEqual(
      failure("settlement_own_destination"),
    );
    const read = await shop.settlements.getSettlement({ tenant, id, forApproval: true });
    expect(read.destinationCreatedBy).toBe("key_a");
    expect((await shop.settle.approve(tenant, id, "key_b")).status).toBe("approved");
  });

  test("replays the first response of a key, and creates nothing where only a replay is requested", async () => {
    const tenant = aTenant();
    const idempotency = { route: "POST /a", key: "one", fingerprint: Buffer.alloc(32) };
    const entry = { tenant, chainId: 31_337n, address: TREASURY, createdBy: "key_a" };
    function create(terms: object) {
      return shop.settlements.createDestination({ ...entry, idempotency, ...terms });
    }

    const asked = create({ replayOnly: true });
    await expect(asked).rejects.toEqual(failure("settlement_destination_not_found"));
    expect((await shop.settlements.listDestinations({ tenant })).total).toBe(0n);
    const first = await create({});
    for (const replayOnly of [true, false]) {
      expect(await create({ replayOnly })).toEqual({ ...first, replayed: true });
    }
    const other = create({ replayOnly: true, idempotency: { ...idempotency, key: "other" } });
    await expect(other).rejects.toEqual(failure("settlement_destination_not_found"));
  });

  test("stores an address once and does not restart its delay", async () => {
    const tenant = aTenant();
    await shop.settle.openTreasury(tenant);
    const entry = { tenant, chainId: 31_337n, createdBy: "key_b" };
    for (const address of [TREASURY, TREASURY.toLowerCase()]) {
      await expect(shop.settlements.createDestination({ ...entry, address })).rejects.toEqual(
        failure("settlement_destination_exists"),
      );
    }
    expect((await shop.settlements.listDestinations({ tenant })).total).toBe(1n);
  });

  test("what a wallet can settle is listed without what refunds and settlements take", async () => {
    const tenant = aTenant();
    await shop.settle.openTreasury(tenant);
    const payment = await shop.pay.confirmed(tenant);
    await shop.settle.credited(tenant, 10n * ONE);
    await shop.refund(tenant, payment.id, { amount: "5" });
    await shop.settle.request(tenant, { amount: "3" });
    const { wallets } = await shop.settle.listWallets(tenant, { limit: 20 });
    expect(wallets).toMatchObject([
      {
        chainId: CHAIN_ID,
        currency: "native",
        address: RECIPIENT.toLowerCase(),
        decimals: 18,
        availableBaseAmount: String(2n * ONE),
      },
    ]);
    for (const stranger of [aTenant(), { ...tenant, mode: Mode.TEST }]) {
      expect((await shop.settle.listWallets(stranger, { limit: 20 })).wallets).toEqual([]);
    }
  });

  test("wallets are listed page by page", async () => {
    const tenant = aTenant();
    await shop.pool.query(
      `insert into wallet_balances (project_id, mode, chain_id, currency, source_address, decimals, credited,
         reserved_refunds, settled)
       select $1, $2, chain_id, currency, '0x' || lpad(n::text, 40, '0'), 6, 10, case when n = 1 then 11 else 3 end, 4
       from generate_series(1, 2) n,
         (values (1, 'native'), (1, '0x' || repeat('a', 40)), (7, 'native')) c (chain_id, currency)`,
      [tenant.projectId, tenant.mode],
    );
    const found: string[] = [];
    for (let after: string | undefined = ""; after !== undefined; ) {
      const page = await shop.settle.listWallets(tenant, { limit: 4, after });
      for (const { chainId, currency, address, availableBaseAmount } of page.wallets) {
        const parts = [chainId, currency.slice(0, 6), address.slice(-1), availableBaseAmount];
        found.push(parts.join(" "));
      }
      after = page.nextAfter || undefined;
    }
    expect(found).toEqual([
      "1 0xaaaa 1 0",
      "1 0xaaaa 2 3",
      "1 native 1 0",
      "1 native 2 3",
      "7 native 1 0",
      "7 native 2 3",
    ]);
    await expect(shop.settle.listWallets(tenant, { limit: 4, after: "elsewhere" })).rejects.toEqual(
      failure("cursor_unknown", "after must be the end of a page"),
    );
  });

  describe("by a person with limits", () => {
    const DAY_MS = 24 * 60 * 60_000;
    const native = { chainId: CHAIN_ID, currency: "native", perDay: "3" };
    const person = { requestedBy: "mem_support", limits: { limits: [native] } };
    function beyond(left: string) {
      return failure("refund_limit_exceeded", `You may refund ${left} more of this currency today`);
    }

    test("payments, surplus and requests at once share what is left of the day", async () => {
      const tenant = aTenant();
      const payments = await Promise.all(
        [1, 2, 3, 4, 5].map(() => shop.pay.confirmed(tenant, {}, { final: 11n * ONE })),
      );
      const first = payments[0]?.id ?? "";
      await expect(shop.refund(tenant, first, person)).rejects.toMatchObject(beyond("3"));
      await shop.refund(tenant, first, { ...person, amount: "1", surplus: true });
      const settled = await Promise.allSettled(
        payments.map(({ id }) =>
          shop.decidedRefund(tenant, id, { ...person, ...keyed(id), amount: "0.8" }),
        ),
      );
      const reasons = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
      expect(reasons).toMatchObject([beyond("0.4"), beyond("0.4"), beyond("0.4")]);
      await shop.refund(tenant, first, { ...person, amount: "0.4" });
      await expect(
        shop.refund(tenant, first, { ...person, amount: "0.000000000000000001" }),
      ).rejects.toMatchObject(beyond("0"));

      const other = { ...person, requestedBy: "mem_other" };
      const test = aTenant(Mode.TEST);
      const elsewhere = await shop.pay.confirmed(test);
      expect((await shop.refund(tenant, first, { ...other, amount: "3" })).amount).toBe("3");
      expect((await shop.refund(test, elsewhere.id, { ...person, amount: "3" })).amount).toBe("3");
      expect((await shop.refund(tenant, first, { amount: "5" })).amount).toBe("5");
    });

    test("what has failed is free again, and the next day all of it", async () => {
      const tenant = aTenant();
      const { id } = await shop.pay.confirmed(tenant);
      const wrong = await shop.refund(tenant, id, { ...person, amount: "3" });
      await shop.refunds.cancelRefund({ tenant, id: wrong.id });
      const right = await shop.refund(tenant, id, { ...person, amount: "2" });
      await shop.settleRefund("transfer.confirmed", tenant, right);
      await shop.readEvents(tenant);
      const more = { ...person, amount: "1.1" };
      await expect(shop.refund(tenant, id, more)).rejects.toMatchObject(beyond("1"));
      const lowered = { ...more, limits: { limits: [{ ...native, perDay: "1" }] } };
      await expect(shop.refund(tenant, id, lowered)).rejects.toMatchObject(beyond("0"));
      shop.clock.move(DAY_MS);
      try {
        expect((await shop.refund(tenant, id, { ...person, amount: "3" })).amount).toBe("3");
      } finally {
        shop.clock.move(-DAY_MS);
      }
    });

    test("a token is counted by itself, and what is not listed is beyond", async () => {
      const tenant = aTenant();
      const currency = shop.chain.token.address;
      const { id } = await shop.pay.confirmed(tenant, { currency, amount: "5" });
      function upTo(...limits: (typeof native)[]) {
        return { requestedBy: "mem_support", limits: { limits } };
      }

      const token = { chainId: CHAIN_ID, currency: currency.toLowerCase(), perDay: "2.5" };
      for (const limits of [[], [native], [native, { ...token, chainId: 1n }]]) {
        await expect(
          shop.refund(tenant, id, { ...upTo(...limits), amount: "0.000001" }),
        ).rejects.toMatchObject(beyond("0"));
      }
      const listed = upTo(native, token);
      expect((await shop.refund(tenant, id, { ...listed, amount: "2.5" })).amount).toBe("2.5");
      const coins = await shop.pay.confirmed(tenant);
      expect((await shop.refund(tenant, coins.id, { ...listed, amount: "3" })).amount).toBe("3");
    });
  });
});
