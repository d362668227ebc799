// The page as a shopper on a slow phone meets it, in a real Chromium: what is sent for it, and how it feels. A plain
// page of as many round trips, measured in turn, says what of it is the machine's.
import { startBrowser } from "../../e2e/web/chromium.ts";
import { type Feel, measureFeel, useCheckout, withPlainPage } from "../../e2e/web/feel.ts";
import type { BenchProduct } from "../bench-product.ts";
import { figure, median } from "../figures.ts";
import { createPayments } from "./checkout-streams.ts";
import type { Followed } from "./status-streams.ts";
import type { Undo } from "./with-undo.ts";

const LOADS = 7;

export async function measurePage(product: BenchProduct, undo: Undo): Promise<void> {
  const baseUrl = `http://127.0.0.1:${product.port}`;
  const [{ id, clientSecret }] = (await createPayments(product, 1)) as [Followed];
  const checkoutUrl = `${baseUrl}/pay/${id}#${clientSecret}`;
  const browser = await startBrowser();
  undo.push(() => browser.close());
  const plain: Feel[] = [];
  const checkout: Feel[] = [];
  const docs: Feel[] = [];
  await withPlainPage(browser, async ({ feel }) => {
    for (let load = 0; load < LOADS; load++) {
      plain.push(await feel());
      checkout.push(await measureFeel(browser, checkoutUrl, useCheckout));
      docs.push(
        await measureFeel(browser, `${baseUrl}/docs`, (page) => page.locator("h1").waitFor()),
      );
    }
  });
  function of(feels: readonly Feel[], name: keyof Feel): number {
    return median(feels.map((feel) => feel[name]));
  }

  figure("checkout.gzip_kb", of(checkout, "bytes") / 1_024, "kB");
  figure("checkout.requests", of(checkout, "requests"), "requests");
  figure("checkout.lcp_ms", of(checkout, "lcpMs"), "ms");
  figure("checkout.cls", Math.max(...checkout.map(({ shift }) => shift)), "");
  figure("checkout.inp_ms", of(checkout, "inpMs"), "ms");
  figure("checkout.plain_lcp_ms", of(plain, "lcpMs"), "ms");
  figure("checkout.plain_inp_ms", of(plain, "inpMs"), "ms");
  figure("checkout.docs_gzip_kb", of(docs, "bytes") / 1_024, "kB");
  figure("checkout.docs_lcp_ms", of(docs, "lcpMs"), "ms");
}
