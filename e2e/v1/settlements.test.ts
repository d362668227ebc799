// The whole life of a settlement as a merchant with two keys sees it: REST, the chain, and the signed events.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { type Merchant, openShop } from "../harness/merchant.ts";
import { openWallet, type Wallet } from "../harness/wallet.ts";
import { refusal } from "./ask.ts";
import { expectFields, FIELDS } from "./documented.ts";
import {
  askWith,
  COIN_UNIT,
  describeWithProduct,
  orderOn,
  type Product,
  RECIPIENT,
  settlementOn,
  startProduct,
} from "./product.ts";

const TREASURY = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";
const TILL = "0x976EA74026E726554dB657fA54763abd0C3a0aa9";
const CENT = COIN_UNIT / 100n;

describeWithProduct("settlements over REST", () => {
  let product: Product;
  let shop: Merchant;
  let owner: ReturnType<typeof askWith>;
  let clerk: ReturnType<typeof askWith>;
  let clerkKeyId: string;
  let keeper: ReturnType<typeof askWith>;
  let merchant: Wallet;

  beforeAll(async () => {
    product = await startProduct();
    const { credentials } = product;
    owner = askWith(product.ask, credentials.secretKey);
    shop = await openShop(credentials);
    const clerkKey = await makeKey("settlements:read", "settlements:write", "refunds:write");
    clerk = askWith(product.ask, clerkKey.key);
    clerkKeyId = clerkKey.id;
    keeper = askWith(product.ask, (await makeKey("settlements:approve")).key);
    merchant = await openWallet(credentials, 1);
  });
  afterAll(async () => {
    await shop?.receiver.stop();
    await product?.stop();
  });

  async function makeKey(...scopes: string[]): Promise<{ id: string; key: string }> {
    const key = { type: "secret", mode: "live", scopes };
    return (await owner("POST", "/v1/projects/me/keys", key)).body;
  }

  async function paid(cents: bigint) {
    const order = { ...orderOn(product.credentials.chainId), amount: `0.${cents}` };
    const { body } = await owner("POST", "/v1/payments", order);
    const txHash = await shop.wallet.payNative(RECIPIENT, cents * CENT);
    await owner("POST", `/v1/payments/${body.id}/transaction`, { txHash });
    await shop.reaches(body.id, "confirmed");
    return body.id as string;
  }

  function request(more: object = {}) {
    const settlement = { ...settlementOn(product.credentials.chainId), amount: undefined };
    return clerk("POST", "/v1/settlements", {
      ...settlement,
      destinationAddress: TREASURY,
      ...more,
    });
  }

  test("money goes to the treasury once one key has requested and another has approved it", async () => {
    const payment = await paid(50n);
    const { chainId } = product.credentials;
    const entry = { chainId, address: TREASURY, label: "Treasury" };
    expect((await clerk("POST", "/v1/settlement-destinations", entry)).status).toBe(403);
    const added = await keeper("POST", "/v1/settlement-destinations", entry);
    expectFields(added.body, FIELDS.destination);

    await owner("POST", "/v1/refunds", { paymentId: payment, amount: "0.2" });
    const requested = await until(
      async () => {
        const answer = await request();
        return answer.status === 201 ? answer.body : undefined;
      },
      { what: "the credit of the wallet" },
    );
    expectFields(requested, FIELDS.settlement);
    expect(requested).toMatchObject({
      status: "requested",
      amount: "0.3",
      requestedBy: clerkKeyId,
      approvedBy: null,
      sourceAddress: RECIPIENT,
      destinationAddress: TREASURY,
      metadata: null,
    });
    const path = `/v1/settlements/${requested.id}`;
    expect((await clerk("POST", `${path}/approve`)).status).toBe(403);
    const own = await keeper("POST", `${path}/approve`);
    expect([own.status, own.headers["x-error-code"]]).toEqual([403, "settlement_own_destination"]);
    const approved = await owner("POST", `${path}/approve`);
    expect(approved.body).toMatchObject({ status: "approved" });

    const { transaction } = (await clerk("GET", `${path}?expand=transaction`)).body;
    expect(transaction).toEqual({
      chainId,
      from: RECIPIENT,
      to: TREASURY,
      data: "0x",
      value: `0x${(30n * CENT).toString(16)}`,
    });
    const txHash = await merchant.payNative(TREASURY, 30n * CENT);
    await clerk("POST", `${path}/transaction`, { txHash });
    const completed = await until(
      async () => {
        const { body } = await clerk("GET", path);
        return body.status === "completed" && body;
      },
      { what: "the completed settlement" },
    );
    expect(completed).toMatchObject({ txHash, blockNumber: expect.any(Number) });
    expect(completed.completedAt >= completed.approvedAt).toBe(true);

    const { blockNumber } = completed;
    const nothing = { txHash: null, blockNumber: null };
    for (const [status, now] of Object.entries({
      requested: nothing,
      approved: nothing,
      completed: { txHash, blockNumber },
    })) {
      const { body } = await shop.waitForDelivery(`settlement.${status}`, requested.id);
      expectFields(body, FIELDS.settlementEvent);
      expect(body).toEqual({
        id: requested.id,
        status,
        amount: String(30n * CENT),
        currency: "native",
        chainId,
        destinationAddress: TREASURY,
        failureReason: null,
        ...now,
      });
    }
  });

  test("a restricted key refunds to the payer or the address book only, an unrestricted one to any address", async () => {
    const paymentId = await paid(30n);
    const expand = "/v1/refunds?expand=destinationAddress,destinationSource";
    const refund = { paymentId, amount: "0.01" };
    const to = { ...refund, destinationAddress: TILL };
    const once = { "idempotency-key": `refund-${paymentId}` };
    const refused = await clerk("POST", expand, to, once);
    const message =
      "destinationAddress is not in the address book, and the key may not name another than the payer's";
    expect([refused.status, refused.body]).toEqual([403, refusal(403, "Forbidden", message)]);
    expect(refused.headers["x-error-code"]).toBe("refund_destination_forbidden");
    const named = await owner("POST", expand, to, once);
    expect(named.body).toMatchObject({ destinationAddress: TILL, destinationSource: "named" });
    const payer = await clerk("POST", expand, refund);
    expect(payer.body).toMatchObject({ destinationSource: "payer" });
    const { chainId } = product.credentials;
    await keeper("POST", "/v1/settlement-destinations", { chainId, address: TILL });
    const known = await clerk("POST", expand, to);
    expect(known.body).toMatchObject({ destinationSource: "address_book" });
    const { body } = await shop.waitForDelivery("refund.created", known.body.id);
    expectFields(body, FIELDS.refundEvent);
    expect(body).toMatchObject({ destinationSource: "address_book" });
  });

  test("a refund may be paid by another wallet that the project has named", async () => {
    const payment = await paid(30n);
    const other = await openWallet(product.credentials, 2);
    await owner("PUT", "/v1/projects/me", { payoutWallets: [other.address] });
    const { body: refund } = await owner("POST", "/v1/refunds?expand=destinationAddress", {
      paymentId: payment,
      amount: "0.3",
    });
    const txHash = await other.payNative(refund.destinationAddress, 30n * CENT);
    await owner("POST", `/v1/refunds/${refund.id}/transaction`, { txHash });
    const { body } = await shop.waitForDelivery("refund.completed", refund.id);
    expect(body).toMatchObject({ status: "completed", txHash });
  });

  test("and so is a refund by a transfer of such a wallet that is assigned to it", async () => {
    const payment = await paid(30n);
    const other = await openWallet(product.credentials, 2);
    await owner("PUT", "/v1/projects/me", { payoutWallets: [other.address] });
    // The inbox shows what reaches addresses of payments, so the refund goes to one.
    const till = { recipientAddress: TILL, amount: "0.9" };
    await owner("POST", "/v1/payments", { ...orderOn(product.credentials.chainId), ...till });
    const { body: refund } = await owner("POST", "/v1/refunds", {
      paymentId: payment,
      amount: "0.3",
      destinationAddress: TILL,
    });
    const txHash = await other.payNative(TILL, 30n * CENT);
    const arrived = await until(
      async () => {
        const { body } = await owner("GET", "/v1/transfers?unmatched=true");
        return body.data.find((transfer: { txHash: string }) => transfer.txHash === txHash);
      },
      { what: "the transfer in the inbox" },
    );
    await owner("POST", `/v1/transfers/${arrived.id}/assign`, { refundId: refund.id });
    const { body } = await shop.waitForDelivery("refund.completed", refund.id);
    expect(body).toMatchObject({ status: "completed", txHash });
  });

  test("a key, its replacement and its predecessor cannot approve their own request, but another key can", async () => {
    await paid(20n);
    const scopes = ["settlements:write", "settlements:approve"];
    const key = { type: "secret", mode: "live", scopes };
    const { body: before } = await owner("POST", "/v1/projects/me/keys", key);
    const { body: after } = await owner("POST", `/v1/projects/me/keys/${before.id}/roll`, {});
    const [old, next] = [before, after].map(({ key }) => askWith(product.ask, key)) as [
      typeof owner,
      typeof owner,
    ];
    for (const [requester, approver] of [
      [old, next],
      [next, old],
      [next, next],
    ] as const) {
      const { body } = await until(
        async () => {
          const settlement = { ...settlementOn(product.credentials.chainId), amount: "0.01" };
          const to = { ...settlement, destinationAddress: TREASURY };
          const answer = await requester("POST", "/v1/settlements", to);
          return answer.status === 201 && answer;
        },
        { what: "the credit of the wallet" },
      );
      const path = `/v1/settlements/${body.id}/approve`;
      const once = { "idempotency-key": `approve-${body.id}` };
      const refused = await approver("POST", path, undefined, once);
      expect(refused.status).toBe(403);
      expect(refused.headers["x-error-code"]).toBe("settlement_own_request");
      const approved = await owner("POST", path, undefined, once);
      expect(approved.body).toMatchObject({ status: "approved" });
      const again = await owner("POST", path, undefined, once);
      expect([again.text, again.headers["idempotent-replayed"]]).toEqual([approved.text, "true"]);
    }
  });

  test("one's own request cannot be approved, and an address that is not in the book gets nothing", async () => {
    const elsewhere = await request({ destinationAddress: RECIPIENT.replace(/.$/, "7") });
    expect(elsewhere.status).toBe(400);
    await paid(40n);
    const { body } = await until(
      async () => {
        const answer = await owner("POST", "/v1/settlements", {
          ...settlementOn(product.credentials.chainId),
          destinationAddress: TREASURY,
        });
        return answer.status === 201 && answer;
      },
      { what: "the credit of the wallet" },
    );
    const refused = await owner("POST", `/v1/settlements/${body.id}/approve`);
    const message = "A settlement must be approved with another key than the one that requested it";
    expect([refused.status, refused.body]).toEqual([403, refusal(403, "Forbidden", message)]);
    expect(refused.headers["x-error-code"]).toBe("settlement_own_request");
    const rejected = await owner("POST", `/v1/settlements/${body.id}/reject`);
    expect(rejected.body).toMatchObject({ status: "failed", failureReason: "rejected" });
    const { body: failed } = await shop.waitForDelivery("settlement.failed", body.id);
    expect(failed).toMatchObject({ status: "failed", failureReason: "rejected" });
  });
});
