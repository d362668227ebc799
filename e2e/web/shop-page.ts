// A page of a merchant, on an origin of its own, with the SDK as its tool has bundled it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { until } from "@pay/testing";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import type { PageWallet } from "./page-wallet.ts";

const SDK = fileURLToPath(new URL("../../sdk/typescript/src/browser.ts", import.meta.url));

const PAGE = `<!doctype html><html lang="en"><head><title>Shop</title><link rel="icon" href="data:,"></head>
<body><script type="module" src="/shop.js"></script></body></html>`;

/** Runs in the page. */
const SCRIPT = `
import { findWallets, openCheckout, pay, signPayer, watchPayment } from ${JSON.stringify(SDK)};
globalThis.openCheckout = openCheckout;
globalThis.statuses = [];
globalThis.act = (access, does) => new Promise((resolve) => {
  watchPayment(access, ({ status, needs }) => globalThis.statuses.push(needs ?? status));
  let isPaying = false;
  findWallets(([wallet]) => {
    if (wallet === undefined || isPaying) return;
    isPaying = true;
    resolve({ pay, signPayer }[does](wallet, access));
  });
});
globalThis.isLoaded = true;
`;

export interface ShopPage {
  page: Page;
  /** Errors in its console and on the page. */
  faults: string[];
  pay(): Promise<unknown>;
  signPayer(): Promise<unknown>;
  /** A status, or what it needs. */
  sees(status: string): Promise<unknown>;
  transfers(): number;
  openCheckout(url: string): Promise<void>;
  close(): Promise<void>;
}

export async function startShopPage(
  browser: Browser,
  wallet: PageWallet,
  access: object,
): Promise<ShopPage> {
  const { outputFiles } = await build({
    stdin: { contents: SCRIPT, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  const server = createServer((request, response) => {
    const isScript = request.url === "/shop.js";
    response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? outputFiles[0]?.contents : PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const context = await browser.newContext();
  context.setDefaultTimeout(90_000);
  await wallet.install(context);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (line) => line.type() === "error" && faults.push(line.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.waitForFunction("globalThis.isLoaded");
  function act(does: string): Promise<unknown> {
    return page.evaluate(`act(${JSON.stringify(access)}, ${JSON.stringify(does)})`);
  }

  return {
    page,
    faults,
    pay: () => act("pay"),
    signPayer: () => act("signPayer"),
    sees: (status) =>
      until(async () => ((await page.evaluate("statuses")) as string[]).includes(status), {
        what: `the page to see ${status}`,
      }),
    transfers: () => wallet.asked.filter((method) => method === "eth_sendTransaction").length,
    openCheckout: async (url) => {
      await page.evaluate(`openCheckout(${JSON.stringify(url)})`);
    },
    close: async () => {
      await context.close();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}
