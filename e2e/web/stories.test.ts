// Payments that do not go straight: what a shopper meets then, in a real browser, up to the end.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import { callNode } from "@pay/embedded";
import { startReceiver, until } from "@pay/testing";
import pg from "pg";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { startForward } from "../harness/forward.ts";
import { reorganise } from "../harness/reorganise.ts";
import { openWallet } from "../harness/wallet.ts";
import { keyHeader } from "../v1/product.ts";
import {
  accessibilityFaults,
  decoded,
  describeWithBrowser,
  inspect,
  keepScreenshot,
} from "./browser.ts";
import { createPageWallet } from "./page-wallet.ts";
import type { Order } from "./shop.ts";
import { tellStories } from "./stage.ts";
import { describeStories, heading, payButton } from "./visits.ts";

const PAYMENT_CODE = /^ethereum:(0x[0-9a-fA-F]{40})@\d+\?value=(\d+)$/;

describeWithBrowser("a shopper's way to the end", () => {
  const stories = describeStories();
  const { visit } = stories;

  function asShop(method: string, path: string, body?: object) {
    const { credentials, askOnly } = stories.product;
    const headers = keyHeader(credentials.secretKey);
    return askOnly(method, path, { headers, ...(body && { body }) });
  }

  function node(method: string, params: unknown[] = []) {
    return callNode(stories.product.credentials.chainRpcUrl, method, params);
  }

  function wallet() {
    return createPageWallet(stories.product.credentials);
  }

  /** A wallet that knows the payment code alone, and submits nothing. */
  async function payByCode(code: string | undefined, account = 0) {
    const [, to = "", base = ""] = PAYMENT_CODE.exec(code ?? "") ?? [];
    const { payNative } = await openWallet(stories.product.credentials, account);
    return payNative(to, BigInt(base));
  }

  test("shows the logo of the shop, from the page's own address", async () => {
    const cdn = await startReceiver({ plain: true });
    const picture = PNG.sync.write(new PNG({ width: 96, height: 32, fill: true }));
    cdn.respondWith({ status: 200, body: picture, headers: { "content-type": "image/png" } });
    const branding = { logoUrl: `${cdn.url}/logo.png` };
    const saved = await asShop("PUT", "/v1/projects/me", { branding });
    await cdn.stop();
    expect([saved.status, saved.headers["x-service-warning"]]).toEqual([200, undefined]);
    const order = await stories.shop.create();
    await until(async () => (await getStatus(order)).shop.logoUrl !== null, {
      what: "the logo among what shoppers see",
    });
    const { page } = await visit(order);
    await page.locator("img.logo").waitFor();
    const width = () =>
      page.locator("img.logo").evaluate((logo) => (logo as HTMLImageElement).naturalWidth);
    await until(async () => (await width()) === 96, { what: "the picture" });
  });

  test("leads from a phone's browser into the browser of a wallet's app, by a link that works once", async () => {
    const order = await stories.shop.create();
    const { page: outside } = await visit(order, { look: { phone: true } });
    await outside.getByRole("button", { name: "Open a wallet app" }).tap();
    const links = outside.locator("a.wallet");
    await links.first().waitFor();
    expect(await links.allTextContents()).toEqual([
      "MetaMask",
      "Coinbase Wallet",
      "Trust Wallet",
      "Rainbow",
    ]);
    const href = (await links.first().getAttribute("href")) ?? "";
    expect(await accessibilityFaults(outside)).toEqual([]);
    await keepScreenshot(outside, "phone-wallet-apps");
    const checkoutUrl = href.replace("https://metamask.app.link/dapp/", "http://");
    expect(checkoutUrl).not.toContain(order.clientSecret);

    const { page: inside } = await visit(
      { checkoutUrl },
      { wallet: wallet(), look: { phone: true } },
    );
    await payButton(inside).tap();
    await heading(inside, "Paid");
    await heading(outside, "Paid");
    // A page that is loaded again has the secret, and needs no code.
    expect(inside.url()).toBe(order.checkoutUrl);

    const { page: later } = await visit({ checkoutUrl }, { expected: /status of 403/ });
    await heading(later, "This link does not work");
    await later.getByText("This link works once, for two minutes.").waitFor();
    expect(await inspect(later, "used-link")).toEqual([]);
  });

  test("is shown as paid when a wallet has paid the code and submitted nothing", async () => {
    const order = await stories.shop.create({ qrMode: true });
    const { page } = await visit(order);
    await payByCode(await decoded(page));
    await heading(page, "Paid");
    expect(await stories.shop.reaches(order, "confirmed")).toMatchObject({ receivedAmount: "1.5" });
  });

  test("says what is left when a part came without a hash, and takes the rest", async () => {
    const order = await stories.shop.create({ qrMode: true });
    const { page } = await visit(order);
    const whole = await decoded(page);
    await payByCode(whole?.replace(/value=\d+/, `value=${10n ** 18n}`));
    await heading(page, /^1 \w+ arrived\. 0\.5 \w+ to go\.$/);
    expect(await inspect(page, "part")).toEqual([]);
    await payByCode(await decoded(page));
    await heading(page, "Paid");
  });

  test("is a call for a wallet that prefers calls, with the payment's name in the call", async () => {
    const order = await stories.shop.create();
    const payer = wallet();
    payer.preferCalls();
    const { page } = await visit(order, { wallet: payer });
    await payButton(page).click();
    await heading(page, "Paid");
    expect(payer.asked).toContain("wallet_sendCalls");
    expect(payer.asked).not.toContain("eth_sendTransaction");
    expect((await readAttribution(order)).attribution).toMatchObject([{ rule: "reference" }]);
  });

  test("is told from an equal one by its deposit address, whichever wallet pays which code first", async () => {
    const recipientAddress = `0x${randomBytes(20).toString("hex")}`;
    const terms = { recipientAddress, qrMode: true, depositAddresses: true };
    const orders = [await stories.shop.create(terms), await stories.shop.create(terms)];
    const pages = await Promise.all(orders.map((order) => visit(order)));
    const codes = await Promise.all(pages.map(({ page }) => decoded(page)));
    await payByCode(codes[1], 2);
    await heading(pages[1]?.page as Page, "Paid");
    await payByCode(codes[0], 3);
    await heading(pages[0]?.page as Page, "Paid");
    for (const order of orders) {
      expect(await readAttribution(order)).toMatchObject({
        status: "confirmed",
        attribution: [{ rule: "address" }],
      });
    }
  });

  test("takes 0.99 of 1 from an exchange, then 0.01, and money after its address was swept", async () => {
    const order = await stories.shop.create({ amount: "1", qrMode: true, depositAddresses: true });
    const { page } = await visit(order);
    const code = await decoded(page);
    await payByCode(code?.replace(/value=\d+/, `value=${99n * 10n ** 16n}`));
    await heading(page, /^0\.99 \w+ arrived\. 0\.01 \w+ to go\.$/);
    await payByCode(await decoded(page));
    await heading(page, "Paid");

    const { payTo } = await getStatus(order);
    const { chainId: _, ...sweep } = (await asShop("GET", `/v1/payments/${order.id}/sweep`)).body;
    const [from] = (await node("eth_accounts")) as string[];
    async function send(transaction: object, held: bigint[]) {
      await node("eth_sendTransaction", [{ from, ...transaction }]);
      const wallets = [order.recipientAddress, payTo];
      const read = () => Promise.all(wallets.map((one) => getBalance(one)));
      await until(async () => isDeepStrictEqual(await read(), held), { what: "the balances" });
    }

    const whole = 10n ** 18n;
    await send(sweep, [whole, 0n]);
    // As exchanges send: with the gas that an address without code takes.
    await send({ to: payTo, value: "0x1", gas: "0x5208" }, [whole, 1n]);
    await send(sweep, [whole + 1n, 0n]);
  });

  test("goes on after the tab was closed between the transfer and its submission", async () => {
    const order = await stories.shop.create();
    const payer = wallet();
    const { page, context } = await visit(order, { wallet: payer, expected: /ERR_FAILED/ });
    await context.route("**/confirm", (route) => route.abort());
    await stories.withoutBlocks(async () => {
      await payButton(page).click();
      await page.getByText("Sent. Do not pay again.").waitFor();
      await page.close();
    });
    await context.unroute("**/confirm");
    const again = await context.newPage();
    await again.goto(order.checkoutUrl);
    await heading(again, "Paid");
    expect(payer.asked.filter((method) => method === "eth_sendTransaction")).toHaveLength(1);
  });

  test("keeps what it knows while there is no connection, and goes on by itself", async () => {
    const order = await stories.shop.create();
    const payer = wallet();
    const expected = /ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|ERR_FAILED/;
    const { page, context } = await visit(order, { wallet: payer, expected });
    await payButton(page).waitFor();
    await context.setOffline(true);
    await stories.withoutBlocks(async () => {
      await payButton(page).click();
      await page.getByText("Sent. Do not pay again.").waitFor();
      expect(await inspect(page, "under-way")).toEqual([]);
    });
    await context.setOffline(false);
    await heading(page, "Paid");
    expect(payer.asked.filter((method) => method === "eth_sendTransaction")).toHaveLength(1);
  });

  test("catches up after a lost connection and streams again, without a reload", async () => {
    const order = await stories.shop.create();
    const line = await startForward("127.0.0.1", () => +new URL(order.checkoutUrl).port);
    const url = new URL(order.checkoutUrl);
    url.port = `${line.port}`;
    const { page, context, streams } = await visit({ checkoutUrl: url.href }, { expected: /ERR_/ });
    const notice = page.getByText("No connection. The page goes on by itself");
    // The browser takes the network from new requests alone; an open stream breaks with the line.
    async function leave(): Promise<void> {
      line.cut();
      await context.setOffline(true);
      await notice.waitFor();
    }

    async function comeBack(): Promise<void> {
      line.mend();
      await context.setOffline(false);
    }

    await until(() => streams() >= 1, { what: "a stream" });
    await page.evaluate(() => {
      document.documentElement.dataset.visit = "the first";
    });
    const code = await decoded(page);
    await leave();
    await comeBack();
    await until(() => streams() >= 2, { what: "a stream after the first time away" });

    await leave();
    await payByCode(code);
    await stories.shop.reaches(order, "confirmed");
    await heading(page, /^Pay 1\.5 /);
    await comeBack();
    await heading(page, "Paid");
    expect(await page.evaluate(() => document.documentElement.dataset.visit)).toBe("the first");
    await line.stop();
  });

  test("says what is missing of an underpaid payment, and takes the rest", async () => {
    const order = await stories.shop.create();
    const payer = wallet();
    payer.keepBack(5n * 10n ** 17n);
    const { page } = await visit(order, { wallet: payer });
    await payButton(page).click();
    await heading(page, /^1 \w+ arrived\. 0\.5 \w+ to go\.$/);
    expect(await inspect(page, "underpaid")).toEqual([]);
    expect(await decoded(page)).toMatch(/\?value=500000000000000000$/);
    await payButton(page).click();
    await heading(page, "Paid");
    expect(await stories.shop.reaches(order, "confirmed")).toMatchObject({ receivedAmount: "1.5" });
  });

  test("says that nothing should be sent any more when the shop has ended the payment", async () => {
    const order = await stories.shop.create();
    const { page } = await visit(order);
    await page.locator("svg.qr").waitFor();
    expect((await asShop("POST", `/v1/payments/${order.id}/cancel`)).status).toBe(200);
    await heading(page, "The shop has cancelled this payment");
    expect(await page.locator("svg.qr").count()).toBe(0);
    expect(await inspect(page, "cancelled")).toEqual([]);
  });

  test("says that the time to pay is over, and shows no code any more", async () => {
    const order = await stories.shop.create();
    const { page } = await visit(order);
    await page.locator("svg.qr").waitFor();
    await passDay(order);
    await heading(page, "The time to pay is over");
    expect(await page.locator("svg.qr").count()).toBe(0);
    expect(await inspect(page, "expired")).toEqual([]);
    expect((await getStatus(order)).status).toBe("expired");
  });

  test("requests no money for an underpaid payment whose time is over", async () => {
    const order = await stories.shop.create();
    const payer = wallet();
    payer.keepBack(5n * 10n ** 17n);
    const { page } = await visit(order, { wallet: payer });
    await payButton(page).click();
    await heading(page, /to go\.$/);
    await passDay(order);
    await page.reload();
    await heading(page, "The time to pay is over");
    await page
      .getByText(/^1 \w+ of 1\.5 \w+ arrived\. .* can accept it or send it back\.$/)
      .waitFor();
    expect(await page.locator("svg.qr, button.wallet, button.large").count()).toBe(0);
    expect(await inspect(page, "underpaid-over")).toEqual([]);
  });

  /** For that payment alone. */
  async function passDay({ id }: Order) {
    const run = readFileSync(join(stories.product.running.dataDir, "run.json"), "utf8");
    const payments = new pg.Client(JSON.parse(run).databaseUrls.payments);
    await payments.connect();
    await payments.query(
      `update payments set created_at = created_at - interval '1 day',
         expires_at = expires_at - interval '1 day' where id = $1`,
      [id],
    );
    await payments.end();
  }

  test("takes back what it said when the block of the transfer leaves the chain, and says it again", async () => {
    const order = await stories.shop.create();
    const { page } = await visit(order, { wallet: wallet() });
    await payButton(page).click();
    await heading(page, "Paid");
    const { txHash } = (await asShop("GET", `/v1/payments/${order.id}`)).body;
    const mineAgain = await reorganise(stories.product.credentials.chainRpcUrl, txHash);
    await heading(page, "Your payment is being confirmed");
    await mineAgain();
    await heading(page, "Paid");
  });

  async function readAttribution({ id }: Order) {
    return (await asShop("GET", `/v1/payments/${id}?expand=attribution`)).body;
  }

  async function getBalance(address: string): Promise<bigint> {
    return BigInt((await node("eth_getBalance", [address, "latest"])) as string);
  }

  /** As the page sees it. */
  async function getStatus({ id, clientSecret }: Order) {
    const headers = { "x-client-secret": clientSecret };
    return (await stories.product.askOnly("GET", `/v1/payments/${id}/status`, { headers })).body;
  }

  // These two move the chain's clock forward.
  test("of received money is told alike by all that tell of it", async () => {
    const { told, expected } = await tellStories(stories);
    expect(told).toEqual(expected);
  });

  test("says that money came too late, and that the shop knows", async () => {
    const order = await stories.shop.create({ expiresInMinutes: 5 });
    const { page } = await visit(order, { wallet: wallet() });
    await payButton(page).waitFor();
    const { expiresAt } = await getStatus(order);
    await node("evm_setNextBlockTimestamp", [Math.ceil(Date.parse(expiresAt) / 1_000) + 600]);
    await payButton(page).click();
    await heading(page, "Your payment arrived late");
    expect(await inspect(page, "late")).toEqual([]);
  });
});
