import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ZERO_ADDRESS } from "@pay/values";
import {
  aTenant,
  CHAIN_ID,
  DELAY_HOURS,
  describeWithShop,
  EXCHANGE,
  failure,
  SHOPPER,
  type Shop,
  startShop,
  TREASURY,
} from "./shop.ts";

const ONE = 10n ** 18n;
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
