// A product, a browser and a shop for the stories of one file, and pages of which every fault is collected.
import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import { callNode } from "@pay/embedded";
import type { Browser, Page } from "playwright-core";
import { type Product, startProduct } from "../v1/product.ts";
import { type Look, type OpenPage, openPage } from "./browser.ts";
import { startBrowser } from "./chromium.ts";
import type { PageWallet } from "./page-wallet.ts";
import { type Order, openShop, type Shop } from "./shop.ts";

/** The product found the transfer before the page named its sender: the browser reports that refusal by itself. */
const FOUND_FIRST = /status of 409 \(Conflict\)/;

export interface Visit {
  wallet?: PageWallet;
  look?: Look;
  /** What the browser itself reports in the console, where a test takes the connection away. */
  expected?: RegExp;
}

export interface Stories {
  product: Product;
  browser: Browser;
  shop: Shop;
  /** Opens the page of an order, or another address. */
  visit(order: Pick<Order, "checkoutUrl">, visit?: Visit): Promise<OpenPage>;
  /** No transfer gets its block before the work is done, so that what the page shows until then can be looked at. */
  withoutBlocks(work: () => Promise<void>): Promise<void>;
}

/**
 * Filled before the first test of the file; no page may have done what it must not do. The product gets the variables.
 */
export function describeStories(
  variables: () => Promise<Record<string, string>> = async () => ({}),
): Stories {
  const stories = {} as Stories;
  const faults: string[] = [];
  beforeAll(async () => {
    const product = await startProduct(await variables());
    Object.assign(stories, { product, shop: openShop(product) });
    stories.browser = await startBrowser();
  });
  afterAll(async () => {
    await stories.browser?.close();
    await stories.product?.stop();
  });
  afterEach(async () => {
    for (const context of stories.browser?.contexts() ?? []) await context.close();
    expect(faults.splice(0)).toEqual([]);
  });
  stories.visit = async ({ checkoutUrl }, { wallet, look, expected = /$^/ } = {}) => {
    const opened = await openPage(stories.browser, checkoutUrl, {
      ...(look && { look }),
      ...(wallet && { prepare: wallet.install }),
    });
    function isExpected(fault: string): boolean {
      return expected.test(fault) || FOUND_FIRST.test(fault);
    }

    opened.page.on("close", () =>
      faults.push(...opened.faults.filter((fault) => !isExpected(fault))),
    );
    return opened;
  };
  stories.withoutBlocks = async (work) => {
    const { chainRpcUrl } = stories.product.credentials;
    // Neither for a transaction nor by the clock.
    await callNode(chainRpcUrl, "evm_setAutomine", [false]);
    await callNode(chainRpcUrl, "evm_setIntervalMining", [0]);
    try {
      await work();
    } finally {
      await callNode(chainRpcUrl, "evm_setAutomine", [true]);
      await callNode(chainRpcUrl, "anvil_mine", ["0x1"]);
    }
  };
  return stories;
}

export function heading(page: Page, text: string | RegExp) {
  return page.getByRole("heading", { level: 1, name: text }).waitFor();
}

export function payButton(page: Page, name = "Test wallet") {
  return page.getByRole("button", { name });
}
