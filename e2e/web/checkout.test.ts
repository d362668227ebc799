// What a shopper can meet on the checkout page, with a real browser, a real wallet's interface and the local chain.
import { expect, test } from "@jest/globals";
import { callNode } from "@pay/embedded";
import { until } from "@pay/testing";
import { openWallet } from "../harness/wallet.ts";
import {
  accessibilityFaults,
  decoded,
  describeWithBrowser,
  inspect,
  keepScreenshot,
  LOOKS,
  measureShift,
  openPage,
} from "./browser.ts";
import { measureFeel, rateSlowness, useCheckout, withPlainPage } from "./feel.ts";
import { announceHostile, createPageWallet, type PageWallet } from "./page-wallet.ts";
import { callAs } from "./play-story.ts";
import { startShopPage } from "./shop-page.ts";
import { describeStories, heading, payButton } from "./visits.ts";

const PAGE_BYTES_MAX = 45 * 1024;
const SCRIPT_BYTES_MAX = 35 * 1024;
const STYLE_BYTES_MAX = 6 * 1024;
const REQUESTS_MAX = 6;
/** Cumulative layout shift: how much of the page moves without the shopper having done anything. */
const SHIFT_MAX = 0.02;
/** When its largest part is there, and how long its slowest tap takes to show, on a slow phone. */
const LCP_MAX_MS = 1_500;
const INP_MAX_MS = 150;
const DOCS_BYTES_MAX = 200 * 1024;
const DOCS_LCP_MAX_MS = 2_500;

describeWithBrowser("the checkout page", () => {
  const stories = describeStories();
  const { visit } = stories;

  async function findRule(order: { id: string }): Promise<string> {
    const path = `/v1/payments/${order.id}?expand=attribution`;
    return (await callAs(stories, "secret")("GET", path)).body.attribution[0]?.rule;
  }

  test("takes a payment in native coin from a wallet", async () => {
    const order = await stories.shop.create();
    const { page } = await visit(order, { wallet: createPageWallet(stories.product.credentials) });
    await payButton(page).click();
    await heading(page, "Paid");
    expect(await stories.shop.reaches(order, "confirmed")).toMatchObject({ receivedAmount: "1.5" });
    expect(await findRule(order)).toBe("reference");
  });

  test("takes a token by a signature, from a wallet without a coin for the fee", async () => {
    const { credentials } = stories.product;
    const order = await stories.shop.create({ currency: credentials.tokenAddress });
    const wallet = createPageWallet(credentials, { account: 3 });
    const payer = await wallet.address();
    await (await openWallet(credentials)).payToken(payer, 1_500_000n);
    await callNode(credentials.chainRpcUrl, "anvil_setBalance", [payer, "0x0"]);
    const { page } = await visit(order, { wallet });
    await page.getByText("No network fee").waitFor();
    expect(await inspect(page, "no-fee")).toEqual([]);
    wallet.declineNext();
    await payButton(page).click();
    await page.getByText("You declined in your wallet.").waitFor();
    await stories.withoutBlocks(async () => {
      await payButton(page).click();
      await page.getByText("Sent. Do not pay again.").waitFor();
      expect(await inspect(page, "signed")).toEqual([]);
    });
    await heading(page, "Paid");
    expect(await stories.shop.reaches(order, "confirmed")).toMatchObject({ receivedAmount: "1.5" });
    expect(await findRule(order)).toBe("authorization");
    expect(wallet.asked).not.toContain("eth_sendTransaction");
  });

  test("takes a token by a transfer, from a wallet that cannot sign for it", async () => {
    const currency = stories.product.credentials.tokenAddress;
    const order = await stories.shop.create({ currency });
    const wallet = createPageWallet(stories.product.credentials);
    wallet.refuseTypedData();
    const { page } = await visit(order, { wallet });
    await payButton(page).click();
    await page.getByText("The network fee cannot be paid for you now.").waitFor();
    expect(await page.getByText("No network fee").count()).toBe(0);
    await payButton(page).click();
    await heading(page, "Paid");
    expect(await findRule(order)).toBe("reference");
  });

  test("lets a shopper who declined try again, without the name that a wallet refuses", async () => {
    const order = await stories.shop.create();
    const wallet = createPageWallet(stories.product.credentials);
    wallet.declineNext();
    const { page } = await visit(order, { wallet });
    await payButton(page).click();
    await page.getByText("You declined in your wallet.").waitFor();
    // Its wallet was named before it was asked for the transfer, so that no one else can claim what it sends.
    const { payerAddress } = await stories.shop.reaches(order, "created");
    expect(payerAddress).toBe(await wallet.address());
    wallet.refuseTrailingData();
    await payButton(page).click();
    await page.getByRole("button", { name: "Try without the order number" }).click();
    await heading(page, "Paid");
    expect(await findRule(order)).toBe("lone");
  });

  test("asks for no transfer where the payment belongs to another wallet", async () => {
    const order = await stories.shop.create();
    const [wallet, owner] = [0, 2].map((account) =>
      createPageWallet(stories.product.credentials, { account }),
    ) as [PageWallet, PageWallet];
    const declared = await stories.shop.declare(order, {
      payerAddress: await owner.address(),
      signature: await owner.sign(order.id),
    });
    expect(declared).toBe(200);
    const { page } = await visit(order, { wallet, expected: /status of 409/ });
    await payButton(page).click();
    await page.getByText("This payment belongs to another wallet.").waitFor();
    expect(wallet.asked).not.toContain("eth_sendTransaction");
  });

  test("asks a wallet on another network to switch, and says so where it does not", async () => {
    const order = await stories.shop.create();
    const wallet = createPageWallet(stories.product.credentials);
    wallet.useOtherNetwork(true);
    const { page } = await visit(order, { wallet });
    await payButton(page).click();
    await page.getByText("Your wallet is on another network.").waitFor();
    expect(wallet.asked).not.toContain("eth_sendTransaction");
    wallet.useOtherNetwork();
    await payButton(page).click();
    await heading(page, "Paid");
  });

  test("shows the balance where it is not enough, and asks for no transfer", async () => {
    const order = await stories.shop.create({ amount: "1000000" });
    const wallet = createPageWallet(stories.product.credentials);
    const { page } = await visit(order, { wallet });
    await payButton(page).click();
    await page.getByText(/Your balance is .*, but 1000000 .* is needed/).waitFor();
    expect(wallet.asked).not.toContain("eth_sendTransaction");
  });

  test("shows what is missing of an underpaid payment", async () => {
    const order = await stories.shop.create();
    const wallet = createPageWallet(stories.product.credentials);
    wallet.keepBack(5n * 10n ** 17n);
    const { page } = await visit(order, { wallet });
    await payButton(page).click();
    await heading(page, /^1 \w+ arrived\. 0\.5 \w+ to go\.$/);
    await page.getByText("Still to pay").waitFor();
    await page.getByRole("button", { name: /^Pay 0\.5 \w+ with Test wallet$/ }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await stories.shop.reaches(order, "failed")).toMatchObject({ failureCode: "underpaid" });
  });

  test("gives a shopper who needs it more time, and takes the payment in it", async () => {
    const order = await stories.shop.create({ expiresInMinutes: 5 });
    const wallet = createPageWallet(stories.product.credentials);
    const { page } = await visit(order, { wallet });
    await page.getByRole("button", { name: "I need more time" }).click();
    await page.getByText("10 min left to pay").first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await payButton(page).click();
    await heading(page, "Paid");
  });

  test("loses no payment when the connection is away after the transfer", async () => {
    const order = await stories.shop.create();
    const wallet = createPageWallet(stories.product.credentials);
    const { page, context } = await visit(order, { wallet, expected: /ERR_FAILED/ });
    let away = true;
    await context.route("**/confirm", (route) => (away ? route.abort() : route.continue()));
    await stories.withoutBlocks(async () => {
      await payButton(page).click();
      await page.getByText("Sent. Do not pay again.").waitFor();
    });
    await page.reload();
    away = false;
    await heading(page, "Paid");
    expect(wallet.asked.filter((method) => method === "eth_sendTransaction")).toHaveLength(1);
  });

  test("shows the same payment in two tabs, and goes on with it when it is opened again", async () => {
    const order = await stories.shop.create();
    const wallet = createPageWallet(stories.product.credentials);
    const { page } = await visit(order, { wallet });
    const { page: other } = await visit(order);
    await payButton(page).click();
    await heading(other, "Paid");
    const { page: later } = await visit(order);
    await heading(later, "Paid");
  });

  test("has a code that wallets can read, and the address alone beside it", async () => {
    const order = await stories.shop.create({ qrMode: true });
    const { page } = await visit(order);
    await page.getByRole("img", { name: "QR code" }).waitFor();
    const uri = `ethereum:${order.recipientAddress}@${stories.product.credentials.chainId}?value=1500000000000000000`;
    expect(await decoded(page)).toBe(uri);
    await page.getByRole("radio", { name: "From an exchange" }).check({ force: true });
    await page.getByText("Send exactly 1.5").waitFor();
    expect(await decoded(page)).toBe(order.recipientAddress);
  });

  test("shows no wallet that announces itself with a deceptive name, icon or identity", async () => {
    const order = await stories.shop.create();
    const { page } = await openPage(stories.browser, order.checkoutUrl, {
      prepare: (context) => context.addInitScript(announceHostile),
    });
    await heading(page, /^Pay 1\.5 /);
    await payButton(page, "Honest").waitFor();
    expect(await page.locator("button.wallet bdi").allTextContents()).toEqual(["Honest"]);
    expect(await page.locator("button.wallet img").count()).toBe(0);
  });

  test("can be paid by keyboard alone", async () => {
    const order = await stories.shop.create();
    const wallet = createPageWallet(stories.product.credentials);
    const { page } = await visit(order, { wallet });
    await payButton(page).waitFor();
    for (let steps = 0; steps < 10; steps++) {
      await page.keyboard.press("Tab");
      if (await payButton(page).evaluate((button) => button === document.activeElement)) break;
    }
    await page.keyboard.press("Enter");
    await heading(page, "Paid");
    await until(() => page.evaluate(() => document.activeElement?.tagName === "H1"));
  });

  test("refuses a link that is incomplete or wrong", async () => {
    const order = await stories.shop.create();
    for (const url of [order.checkoutUrl.replace(/#.*/, ""), `${order.checkoutUrl}x`]) {
      const { page } = await openPage(stories.browser, url);
      await heading(page, "This link does not work");
    }
  });

  test("speaks the language that the shop chose, and leads back to the shop when it is paid", async () => {
    const returnUrl = "https://shop.example/orders/7";
    const cancelUrl = "https://shop.example/cart";
    const displayAmount = { amount: "12.50", currency: "EUR" };
    const order = await stories.shop.create({ locale: "de", returnUrl, cancelUrl, displayAmount });
    const { page } = await visit(order, { wallet: createPageWallet(stories.product.credentials) });
    await page.getByText("Mit einer Wallet bezahlen").waitFor();
    await page.getByText(/^12,50\s€$/).waitFor();
    const back = page.getByRole("link", { name: /^Zurück zu / });
    expect(await back.getAttribute("href")).toBe(cancelUrl);
    await payButton(page).click();
    await until(async () => (await back.getAttribute("href")) === returnUrl);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("speaks the shopper's language, from right to left where it is written so", async () => {
    const order = await stories.shop.create();
    const { page } = await visit(order, { look: { language: "ar" } });
    await heading(page, /^المبلغ المطلوب 1\.5 /);
    await until(() => page.evaluate(() => document.documentElement.dir === "rtl"));
    await page.getByRole("combobox").selectOption("de");
    await heading(page, /^Zu zahlen 1\.5 /);
    await until(() => page.evaluate(() => document.documentElement.dir === "ltr"));
  });

  test.each(LOOKS)("is open to everyone at $width pixels, dark: $dark", async (look) => {
    const name = `${look.width}-${look.dark ? "dark" : "light"}`;
    const order = await stories.shop.create();
    const wallet = createPageWallet(stories.product.credentials);
    const { page } = await visit(order, { wallet, look });
    await payButton(page).waitFor();
    await page.locator("svg.qr").waitFor();
    expect(await measureShift(page)).toBeLessThanOrEqual(SHIFT_MAX);
    expect(await accessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, `ready-${name}`);
    await payButton(page).click();
    await heading(page, "Paid");
    expect(await accessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, `paid-${name}`);
  });

  test.each([false, true])(
    "the pages for developers are open to everyone, dark: %s",
    async (dark) => {
      for (const path of ["/", "/docs", "/docs/errors"]) {
        const url = stories.product.credentials.baseUrl + path;
        const {
          page,
          sizes,
          faults: found,
        } = await openPage(stories.browser, url, { look: { dark } });
        expect(await accessibilityFaults(page)).toEqual([]);
        await keepScreenshot(page, `developers${path.replaceAll("/", "-")}${dark ? "-dark" : ""}`);
        expect([...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(
          DOCS_BYTES_MAX,
        );
        expect(found).toEqual([]);
        await page.close();
      }
    },
  );

  test("the reference is there soon on a slow phone", async () => {
    const { browser, product } = stories;
    const url = `${product.credentials.baseUrl}/docs`;
    await withPlainPage(browser, (plain) =>
      until(
        async () => {
          const slowness = rateSlowness(await plain.feel());
          const { lcpMs } = await measureFeel(browser, url, (page) => page.locator("h1").waitFor());
          return lcpMs > 0 && lcpMs / slowness.lcp <= DOCS_LCP_MAX_MS;
        },
        { what: "the reference within its budget of time" },
      ),
    );
  });

  test("needs no scrolling sideways at 400 % zoom", async () => {
    const order = await stories.shop.create();
    const { page } = await visit(order, { look: { width: 320, height: 256 } });
    await heading(page, /^Pay 1\.5 /);
    const [wide, seen] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(wide).toBeLessThanOrEqual(seen as number);
  });

  test("learns of the payment over one stream, not by asking again and again", async () => {
    const order = await stories.shop.create();
    const opened = await visit(order, { wallet: createPageWallet(stories.product.credentials) });
    await until(() => opened.streams() > 0, { what: "a stream" });
    await payButton(opened.page).click();
    await heading(opened.page, "Paid");
    expect(opened.streams()).toBe(1);
  });

  test("a page of the shop finds the wallet, pays with it and follows the payment, by the SDK", async () => {
    const order = await stories.shop.create();
    const page = await startShopPage(
      stories.browser,
      createPageWallet(stories.product.credentials),
      {
        id: order.id,
        clientSecret: order.clientSecret,
        baseUrl: stories.product.credentials.baseUrl,
        publishableKey: stories.product.credentials.publishableKey,
      },
    );
    expect(await page.pay()).toMatchObject({ kind: "submitted" });
    await page.sees("confirmed");
    // The shopper pays once, however often the page asks.
    expect(page.transfers()).toBe(1);
    await page.openCheckout(order.checkoutUrl);
    await heading(page.page, "Paid");
    expect(page.faults).toEqual([]);
    await page.close();
  });

  test("stays within its budget of bytes and requests", async () => {
    const order = await stories.shop.create();
    const { page, sizes } = await visit(order, { look: { language: "ja" } });
    await page.locator("svg.qr").waitFor();
    await until(() => sizes.has("status"), { what: "all of the page" });
    function total(ending: string) {
      const all = [...sizes].filter(([name]) => name.endsWith(ending));
      return all.reduce((sum, [, bytes]) => sum + bytes, 0);
    }

    await until(() => total(".js") > 0 && total(".css") > 0, { what: "the sizes" });
    expect(total("")).toBeLessThanOrEqual(PAGE_BYTES_MAX);
    expect(total(".js")).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
    expect(total(".css")).toBeLessThanOrEqual(STYLE_BYTES_MAX);
    expect(sizes.size).toBeLessThanOrEqual(REQUESTS_MAX);
  });

  test("is there soon on a slow phone, keeps its parts where they are, and shows taps at once", async () => {
    const { checkoutUrl } = await stories.shop.create();
    const { browser } = stories;
    const best = { lcpMs: Infinity, inpMs: Infinity };
    await withPlainPage(browser, (plain) =>
      until(
        async () => {
          const slowness = rateSlowness(await plain.feel());
          const { lcpMs, inpMs, shift } = await measureFeel(browser, checkoutUrl, useCheckout);
          expect(shift).toBeLessThanOrEqual(SHIFT_MAX);
          best.lcpMs = Math.min(best.lcpMs, lcpMs / slowness.lcp);
          best.inpMs = Math.min(best.inpMs, inpMs / slowness.inp);
          return best.lcpMs <= LCP_MAX_MS && best.inpMs <= INP_MAX_MS;
        },
        { what: "the page within its budget of time" },
      ),
    );
    expect(best.lcpMs).toBeGreaterThan(0);
  });
});
