// What tenants share: the chain's transfers. Two merchants name one address and submit one hash, in every order; then
// two payments of one merchant do. Between merchants nothing one does may change what the other gets; inside one
// merchant a transfer pays once, and the rule selects the payment.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { callNode } from "@pay/embedded";
import { until } from "@pay/testing";
import { type PlannedTransfer, planTransfer } from "../harness/planned-transfers.ts";
import type { Answer } from "./ask.ts";
import {
  askWith,
  COIN_UNIT,
  describeWithProduct,
  keyHeader,
  type Product,
  startProduct,
} from "./product.ts";
import { getName, HISTORIES, listWinners } from "./transfer-histories.ts";

/** Of those whose keys every development node holds; nothing else sends from them. */
const LAST_ACCOUNT = "0xa0ee7a142d267c1f36714e4a8f75612f20a79720";
const ACCOUNT_BEFORE = "0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f";
/** Only signs. */
const SIGNER = "0x14dc79964da2c08b23698b3d3cc7ca32193d9955";

interface Shop {
  as: ReturnType<typeof askWith>;
  publishable: string;
}

interface Order {
  shop: Shop;
  id: string;
  clientSecret: string;
}

function anAddress(): string {
  return `0x${randomBytes(20).toString("hex")}`;
}

function must({ status, body }: Answer, expected: number) {
  if (status !== expected) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

describeWithProduct("transfers that several payments want", () => {
  let product: Product;
  let mine: Shop;
  let theirs: Shop;
  let rpcUrl: string;
  let chainId: number;

  beforeAll(async () => {
    product = await startProduct();
    rpcUrl = product.credentials.chainRpcUrl;
    chainId = product.credentials.chainId;
    async function open(name: string): Promise<Shop> {
      const { secretKey, publishableKey } = await product.createProject(name);
      return { as: askWith(product.ask, secretKey), publishable: publishableKey };
    }

    mine = await open("Mine");
    theirs = await open("Theirs");
  });
  afterAll(async () => {
    await product?.stop();
  });

  async function create(shop: Shop, recipientAddress: string, more: object = {}): Promise<Order> {
    const order = { amount: "0.5", chainId, currency: "native", recipientAddress, ...more };
    const { id, clientSecret } = must(await shop.as("POST", "/v1/payments", order), 201);
    return { shop, id, clientSecret };
  }

  function confirm({ shop, id, clientSecret }: Order, txHash: string, payerAddress?: string) {
    return product.ask("POST", `/v1/payments/${id}/confirm`, {
      headers: keyHeader(shop.publishable),
      body: { clientSecret, txHash, ...(payerAddress && { payerAddress }) },
    });
  }

  function declare({ shop, id, clientSecret }: Order, payerAddress: string, signature?: string) {
    return product.ask("POST", `/v1/payments/${id}/payer`, {
      headers: keyHeader(shop.publishable),
      body: { clientSecret, payerAddress, ...(signature && { signature }) },
    });
  }

  async function readMessage({ id, clientSecret }: Order): Promise<string> {
    const headers = { "x-client-secret": clientSecret };
    return must(await product.ask("GET", `/v1/payments/${id}/status`, { headers }), 200)
      .payerMessage;
  }

  /** Not after the node has sent from the account without its key: it signs nothing for it any more. */
  function sign(text: string, from: string) {
    const hex = `0x${Buffer.from(text).toString("hex")}`;
    return callNode(rpcUrl, "personal_sign", [hex, from]) as Promise<string>;
  }

  async function read({ shop, id }: Order) {
    return must(
      await shop.as("GET", `/v1/payments/${id}?expand=failureCode,receivedAmount,payerAddress`),
      200,
    );
  }

  function isSettled({ status }: { status: string }) {
    return !["created", "processing"].includes(status);
  }

  function settled(order: Order) {
    return until(
      async () => {
        const payment = await read(order);
        return isSettled(payment) && payment;
      },
      { what: "a verdict" },
    );
  }

  async function pay(to: string, value: bigint): Promise<PlannedTransfer> {
    const transfer = await planTransfer(rpcUrl, { to, value });
    await transfer.mine();
    return transfer;
  }

  describe("of two merchants, a stranger who names the other's address", () => {
    test("takes nothing by ten payments of one unit whose hash was submitted first", async () => {
      const address = anAddress();
      const transfer = await planTransfer(rpcUrl, { to: address, value: COIN_UNIT / 2n });
      const thieves = await Promise.all(
        Array.from({ length: 10 }, () =>
          create(theirs, address, { amount: "0.000000000000000001" }),
        ),
      );
      const order = await create(mine, address);
      for (const thief of thieves)
        must(await confirm(thief, transfer.txHash, transfer.sender), 200);
      must(await confirm(order, transfer.txHash), 200);
      await transfer.mine();
      expect(await settled(order)).toMatchObject({ status: "confirmed", receivedAmount: "0.5" });
    });

    test("takes nothing by a payment that is confirmed before the shopper submits", async () => {
      const address = anAddress();
      const order = await create(mine, address);
      const thief = await create(theirs, address);
      const transfer = await planTransfer(rpcUrl, { to: address, value: COIN_UNIT / 2n });
      must(await confirm(thief, transfer.txHash), 200);
      await transfer.mine();
      expect(await settled(thief)).toMatchObject({ status: "confirmed" });
      await confirm(order, transfer.txHash);
      expect(await settled(order)).toMatchObject({ status: "confirmed" });
    });

    test("blocks no payment with a declared payer and a hash that is never seen", async () => {
      const address = anAddress();
      const transfer = await planTransfer(rpcUrl, { to: address, value: COIN_UNIT / 2n });
      const thief = await create(theirs, address, { expiresInMinutes: 10_080, qrMode: true });
      must(await confirm(thief, `0x${randomBytes(32).toString("hex")}`, transfer.sender), 200);
      const order = await create(mine, address);
      must(await confirm(order, transfer.txHash), 200);
      await transfer.mine();
      expect(await settled(order)).toMatchObject({ status: "confirmed" });
    });

    test("takes nothing from a payment that shows a QR code", async () => {
      const address = anAddress();
      const order = await create(mine, address, { qrMode: true });
      const transfer = await pay(address, COIN_UNIT / 2n);
      const thief = await create(theirs, address, { qrMode: true });
      must(await confirm(thief, transfer.txHash, transfer.sender), 200);
      expect(await settled(order)).toMatchObject({ status: "confirmed" });
    });

    test("cannot make a refund fail by claiming its transfer first", async () => {
      const shopWallet = anAddress();
      const order = await create(mine, shopWallet);
      const paid = await pay(shopWallet, COIN_UNIT / 2n);
      await settled(order);
      const refund = must(await mine.as("POST", "/v1/refunds", { paymentId: order.id }), 201);
      const half = COIN_UNIT / 2n;
      const back = await planTransfer(rpcUrl, { from: shopWallet, to: paid.sender, value: half });
      const thief = await create(theirs, paid.sender);
      must(await confirm(thief, back.txHash), 200);
      await back.mine();
      expect(await settled(thief)).toMatchObject({ status: "confirmed" });
      must(
        await mine.as("POST", `/v1/refunds/${refund.id}/transaction`, { txHash: back.txHash }),
        200,
      );
      function completed() {
        return mine.as("GET", `/v1/refunds/${refund.id}`);
      }

      await until(async () => (await completed()).body.status === "completed", {
        what: "the completed refund",
      });
      expect((await mine.as("POST", "/v1/refunds", { paymentId: order.id })).status).toBe(409);
    });
  });

  async function needs({ shop, id }: Order): Promise<string | null> {
    return must(await shop.as("GET", `/v1/payments/${id}?expand=needs`), 200).needs;
  }

  function needsSignature(order: Order) {
    return until(async () => (await needs(order)) === "payer_signature", { what: "the need" });
  }

  test("wait in the inbox while two equal payments are open, until the merchant assigns them", async () => {
    const address = anAddress();
    const orders = [await create(mine, address), await create(mine, address)] as const;
    const { txHash } = await pay(address, COIN_UNIT / 2n);
    async function inbox(query: string, shop = mine) {
      const { data } = must(await shop.as("GET", `/v1/transfers?limit=100${query}`), 200);
      return data.find((arrived: { to: string }) => arrived.to.toLowerCase() === address);
    }

    const arrived = await until(() => inbox("&unmatched=true"), { what: "the transfer" });
    expect(arrived).toMatchObject({ txHash, amount: "0.5", paymentId: null, currency: "native" });
    expect(await inbox("", theirs)).toBeUndefined();
    const path = `/v1/transfers/${arrived.id}/assign`;
    expect(must(await theirs.as("POST", path, { paymentId: orders[0].id }), 404)).toMatchObject({
      message: "Transfer not found",
    });
    const elsewhere = await create(mine, anAddress());
    expect(must(await mine.as("POST", path, { paymentId: elsewhere.id }), 409)).toMatchObject({
      message: "Transfer differs in recipient",
    });
    expect(must(await mine.as("POST", path, { paymentId: orders[1].id }), 200)).toEqual({
      id: arrived.id,
      txHash,
      paymentId: orders[1].id,
      refundId: null,
      status: "processing",
    });
    expect(await settled(orders[1])).toMatchObject({ status: "confirmed", receivedAmount: "0.5" });
    expect(await inbox("&unmatched=true")).toBeUndefined();
    expect(await inbox("&unmatched=false")).toMatchObject({ paymentId: orders[1].id });
    expect(must(await mine.as("POST", path, { paymentId: orders[1].id }), 200)).toMatchObject({
      paymentId: orders[1].id,
      status: "confirmed",
    });
    const again = await mine.as("POST", path, { paymentId: orders[0].id });
    expect([again.status, again.headers["x-error-code"]]).toEqual([409, "tx_hash_used"]);
    expect((await read(orders[0])).status).toBe("created");
  });

  test("go to the order that the sender's wallet signed for, also where they are submitted for another one", async () => {
    const address = anAddress();
    const from = LAST_ACCOUNT;
    const [rightful, other] = [await create(mine, address), await create(mine, address)];
    const message = await readMessage(rightful);
    const wrongTexts = [
      other.id,
      await readMessage(other),
      message.replace("Amount: 0.5", "Amount: 0.4"),
      message.replace(/^\S+/, "pay.example"),
    ];
    // A node that sends from an account without its key signs nothing for it any more.
    const wrong = await Promise.all(wrongTexts.map((text) => sign(text, from)));
    const byId = await sign(rightful.id, from);
    const byMessage = await sign(message, from);
    const transfer = await planTransfer(rpcUrl, { to: address, value: COIN_UNIT / 2n, from });
    // Who has seen a wallet may name it, but only the wallet itself signs.
    must(await declare(other, from), 200);
    for (const signature of wrong) {
      const refused = await declare(rightful, from, signature);
      expect([refused.status, refused.headers["x-error-code"]]).toEqual([
        400,
        "payer_signature_invalid",
      ]);
    }
    expect((await declare(other, from, byMessage)).status).toBe(400);
    for (const signature of [byId, byMessage]) {
      must(await declare(rightful, from, signature), 200);
    }
    must(await confirm(other, transfer.txHash, from), 200);
    await transfer.mine();
    expect(await settled(rightful)).toMatchObject({ status: "confirmed", receivedAmount: "0.5" });
    expect(await settled(other)).toMatchObject({ status: "failed" });
  });

  test("wait while they fit two open payments, and the wallet that paid decides", async () => {
    const [address, from] = [anAddress(), ACCOUNT_BEFORE];
    const orders = [await create(mine, address), await create(mine, address)] as const;
    const [rightful, thief] = orders;
    const signatures = [await sign(rightful.id, from), await sign(thief.id, SIGNER)] as const;
    const transfer = await planTransfer(rpcUrl, { to: address, value: COIN_UNIT / 2n, from });
    // Who watches the chain is quicker than the shopper.
    for (const order of [thief, rightful]) must(await confirm(order, transfer.txHash), 200);
    await transfer.mine();
    for (const order of orders) {
      await needsSignature(order);
      const path = `/v1/payments/${order.id}/explain`;
      expect(must(await mine.as("GET", path), 200).nextStep.action).toBe("sign");
    }
    const wrong = await declare(thief, SIGNER, signatures[1]);
    expect([wrong.status, wrong.headers["x-error-code"]]).toEqual([409, "payer_fixed"]);
    must(await declare(rightful, from, signatures[0]), 200);
    expect(await settled(rightful)).toMatchObject({ status: "confirmed", payerAddress: from });
    expect(await settled(thief)).toMatchObject({
      status: "failed",
      failureCode: "transfer_already_used",
    });
    expect([await needs(rightful), await needs(thief)]).toEqual([null, null]);
  });

  test("wait while they fit two open payments, and the merchant that assigns the hash decides", async () => {
    const address = anAddress();
    const orders = [await create(mine, address), await create(mine, address)] as const;
    const [rightful, other] = orders;
    const { txHash } = await pay(address, COIN_UNIT / 2n);
    must(await confirm(rightful, txHash), 200);
    await needsSignature(rightful);
    const assigned = { txHash, attribute: true };
    must(await mine.as("POST", `/v1/payments/${rightful.id}/transaction`, assigned), 200);
    expect(await settled(rightful)).toMatchObject({ status: "confirmed", receivedAmount: "0.5" });
    expect((await read(other)).status).toBe("created");
  });

  test("pay each merchant's only payment, and neither of two, in every order of submissions and mining", async () => {
    const outcomes = await Promise.all(
      HISTORIES.map(async (history) => {
        const [address, from] = [anAddress(), anAddress()];
        const other = history.tenants === 1 ? mine : theirs;
        const orders = { first: await create(mine, address), second: await create(other, address) };
        const transfer = await planTransfer(rpcUrl, { to: address, value: COIN_UNIT / 2n, from });
        for (const action of history.actions) {
          const who = action === "first submits" ? "first" : "second";
          if (action === "mined") await transfer.mine();
          else await confirm(orders[who], transfer.txHash);
        }
        const end = history.tenants === 2 ? settled : needsSignature;
        await Promise.all(Object.values(orders).map((order) => end(order)));
        const confirmed = [];
        for (const who of ["first", "second"] as const) {
          if ((await read(orders[who])).status === "confirmed") confirmed.push(who);
        }
        return { history: getName(history), confirmed };
      }),
    );
    expect(outcomes).toEqual(
      HISTORIES.map((history) => ({ history: getName(history), confirmed: listWinners(history) })),
    );
  });

  test("confirms the payment of the other one, and waits for the decision of the one that does", async () => {
    const from = anAddress();
    must(await mine.as("PUT", "/v1/projects/me", { screening: { list: [from] } }), 200);
    async function payTwo() {
      const address = anAddress();
      const orders = [await create(mine, address), await create(theirs, address)] as const;
      const transfer = await planTransfer(rpcUrl, { to: address, value: COIN_UNIT / 2n, from });
      await transfer.mine();
      expect(await settled(orders[1])).toMatchObject({ status: "confirmed" });
      return orders[0];
    }

    async function review({ id, clientSecret }: Order) {
      const path = `/v1/payments/${id}?expand=needs,screened,receivedAmount,timeline`;
      const payment = await until(
        async () => {
          const found = must(await mine.as("GET", path), 200);
          return found.needs === "review" && found;
        },
        { what: "a review" },
      );
      expect(payment).toMatchObject({
        status: "processing",
        receivedAmount: "0.5",
        screened: [{ address: expect.stringMatching(new RegExp(from, "i")), cause: "list" }],
      });
      expect(JSON.stringify(payment.timeline).match(/"screened"/g)).toHaveLength(1);
      const { nextStep, actions } = must(await mine.as("GET", `/v1/payments/${id}/explain`), 200);
      expect(nextStep.action).toBe("resolve");
      for (const name of ["accept", "refund"])
        expect(actions).toContainEqual(expect.objectContaining({ name, allowed: true }));
      const headers = { "x-client-secret": clientSecret };
      const status = must(await product.ask("GET", `/v1/payments/${id}/status`, { headers }), 200);
      expect(status).toMatchObject({ needs: "review", failureCode: null });
      expect(JSON.stringify(status)).not.toMatch(/screen/i);
    }

    const accepted = await payTwo();
    await review(accepted);
    must(await mine.as("POST", `/v1/payments/${accepted.id}/resolve`, { action: "accept" }), 200);
    expect(await settled(accepted)).toMatchObject({ status: "confirmed", receivedAmount: "0.5" });
    const returned = await payTwo();
    await review(returned);
    const refund = { paymentId: returned.id, destinationAddress: from };
    expect(must(await mine.as("POST", "/v1/refunds", refund), 201).amount).toBe("0.5");
    must(await mine.as("PUT", "/v1/projects/me", { screening: null }), 200);
  });
});
