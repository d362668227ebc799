// Payments that do not go straight: what a shopper meets then, in a real browser, up to the end.
import { expect, test } from "@jest/globals";
import { accessibilityFaults, describeWithBrowser, keepScreenshot } from "./browser.ts";
import { createPageWallet } from "./page-wallet.ts";
import { describeStories, heading, payButton } from "./visits.ts";

describeWithBrowser("a shopper's way to the end", () => {
  const stories = describeStories();
  const { visit } = stories;

  test("leads from a phone's browser into the browser of a wallet's app, by a link that works once", async () => {
    const order = await stories.shop.create();
    const { page: outside } = await visit(order, { look: { phone: true } });
    await outside.getByRole("button", { name: "Open a wallet app" }).tap();
    const links = outside.locator("a.wallet");
    await links.first().waitFor();
    expect(await links.allTextContents()).toEqual([
      ...["MetaMask", "Coinbase Wallet", "Trust Wallet", "Rainbow"],
    ]);
    expect(await accessibilityFaults(outside)).toEqual([]);
    await keepScreenshot(outside, "phone-wallet-apps");
    const href = (await links.first().getAttribute("href")) ?? "";
    const checkoutUrl = href.replace("https://metamask.app.link/dapp/", "http://");
    expect(checkoutUrl).not.toContain(order.clientSecret);

    const wallet = createPageWallet(stories.product.credentials);
    const { page: inside } = await visit({ checkoutUrl }, { wallet, look: { phone: true } });
    await payButton(inside).tap();
    await heading(inside, "Paid");
    await heading(outside, "Paid");
    // A page that is loaded again has the secret, and needs no code.
    expect(inside.url()).toBe(order.checkoutUrl);

    const { page: later } = await visit({ checkoutUrl }, { expected: /status of 403/ });
    await heading(later, "This link does not work");
    await later.getByText("This link works once, for two minutes.").waitFor();
  });
});
