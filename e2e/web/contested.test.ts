// Two orders of one amount, and one transfer that came without a word of its wallet: the page asks the wallet that paid
// to sign. And native coin that a contract passed on, which no provider can follow: a person looks at it.
import { randomBytes } from "node:crypto";
import { afterAll, expect, test } from "@jest/globals";
import { type TestChain, testChain } from "@pay/testing";
import { openWallet } from "../harness/wallet.ts";
import { keyHeader } from "../v1/product.ts";
import { accessibilityFaults, decoded, describeWithBrowser, inspect } from "./browser.ts";
import { createPageWallet } from "./page-wallet.ts";
import type { Order } from "./shop.ts";
import { startShopPage } from "./shop-page.ts";
import { describeStories, heading, payButton } from "./visits.ts";

const BASE = 15n * 10n ** 17n;
const TITLE = "Show that this payment is yours";
/** Passes on what it gets to the address that it is called with. */
const FORWARDER = "600f80600b6000396000f36000600060006000346000355af100";

describeWithBrowser("a transfer that is no proof by itself", () => {
  let chain: TestChain;
  const stories = describeStories(async () => {
    chain = await testChain();
    const provider = await chain.faultProxy();
    provider.fail({ kind: "error", code: -32_601 }, { methods: ["debug_traceTransaction"] });
    return { CHAINS_LOCAL: JSON.stringify({ rpcUrl: provider.url }) };
  });
  afterAll(() => chain?.stop());
  const { visit } = stories;

  /** The hash is handed in for both, as anyone can who watches the chain; the wallets' owner is account 0. */
  async function contested(): Promise<[Order, Order]> {
    const { credentials, askOnly } = stories.product;
    const recipientAddress = `0x${randomBytes(20).toString("hex")}`;
    const orders = [
      await stories.shop.create({ recipientAddress }),
      await stories.shop.create({ recipientAddress }),
    ] as [Order, Order];
    const { payNative } = await openWallet(credentials);
    const txHash = await payNative(recipientAddress, BASE);
    for (const { id, clientSecret } of orders) {
      await askOnly("POST", `/v1/payments/${id}/confirm`, {
        headers: keyHeader(credentials.publishableKey),
        body: { clientSecret, txHash },
      });
    }
    return orders;
  }

  function wallet(account = 0) {
    return createPageWallet(stories.product.credentials, { account });
  }

  test("is the one's whose wallet signs on the page, and no other wallet's", async () => {
    const [order, other] = await contested();
    const [owner, stranger] = [wallet(), wallet(2)];
    const { page: wrong } = await visit(order, { wallet: stranger, expected: /status of 409/ });
    await heading(wrong, TITLE);
    expect(await inspect(wrong, "proof")).toEqual([]);
    await payButton(wrong).click();
    await wrong.getByText("This wallet has not paid.").waitFor();
    expect(await accessibilityFaults(wrong)).toEqual([]);

    const { page } = await visit(order, { wallet: owner });
    await heading(page, TITLE);
    const message = await stories.shop.readMessage(order);
    const { host } = new URL(page.url());
    expect(message).toMatch(new RegExp(`^${host} asks .*Payment ID: ${order.id}\\n`, "s"));
    owner.declineNext();
    await payButton(page).click();
    await page.getByText("You declined in your wallet. Nothing was signed").waitFor();
    await payButton(page).click();
    await heading(page, "Paid");
    await heading(wrong, "Paid");
    expect(owner.asked).not.toContain("eth_sendTransaction");
    expect(owner.signed).toEqual([message]);
    expect(await stories.shop.reaches(other, "failed")).toMatchObject({
      failureCode: "transfer_already_used",
    });
  });

  test("is proven on the phone whose wallet paid, by a code that opens the page there", async () => {
    const [order] = await contested();
    const { page } = await visit(order, { look: { language: "ar" } });
    await heading(page, "أثبت أن هذه الدفعة لك");
    await page.locator("main button.large").click();
    const link = await decoded(page);
    expect(link).toMatch(/\/pay\/pay_\w+\/h\/ho_\w+$/);
    expect(await inspect(page, "proof-phone")).toEqual([]);
    const phone = { wallet: wallet(), look: { phone: true } };
    const { page: inside } = await visit({ checkoutUrl: link ?? "" }, phone);
    await heading(inside, TITLE);
    await payButton(inside).tap();
    await heading(inside, "Paid");
  });

  test("is proven on a page of the shop, by the SDK", async () => {
    const [order] = await contested();
    const { baseUrl, publishableKey } = stories.product.credentials;
    const { id, clientSecret } = order;
    const access = { id, clientSecret, baseUrl, publishableKey };
    const owner = wallet();
    const page = await startShopPage(stories.browser, owner, access);
    await stories.shop.needs(order, "payer_signature");
    expect(await page.pay()).toEqual({
      kind: "not-open",
      status: "processing",
      needs: "payer_signature",
    });
    await page.sees("payer_signature");
    const message = await stories.shop.readMessage(order);
    const payer = await owner.address();
    const signed = (await page.signPayer()) as { kind: string; payer: string };
    expect([signed.kind, signed.payer.toLowerCase()]).toEqual(["signed", payer]);
    expect(owner.signed).toEqual([message]);
    await page.sees("confirmed");
    expect([page.transfers(), page.faults]).toEqual([0, []]);
    await page.close();
  });

  test("through a contract that no provider can follow waits for a person, and the page says so", async () => {
    const { credentials, askOnly } = stories.product;
    const order = await stories.shop.create();
    const to = await chain.deploy(FORWARDER);
    const data = `0x${order.recipientAddress.slice(2).padStart(64, "0")}`;
    const txHash = await chain.send({ to, data, value: BASE });
    const { id, clientSecret } = order;
    await askOnly("POST", `/v1/payments/${id}/confirm`, {
      headers: keyHeader(credentials.publishableKey),
      body: { clientSecret, txHash },
    });
    const { page } = await visit(order);
    await page.getByText("This payment is looked at once more before it counts").waitFor();
    expect(await inspect(page, "review")).toEqual([]);
    expect(await page.locator(".spinner, button.wallet, button.large").count()).toBe(0);
  });
});
