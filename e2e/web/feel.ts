// How a page feels on a slow phone, as Chromium measures it: when its largest part is there, how far its parts move,
// and how long a tap takes to show. A plain page beside it, with as many round trips, says what machine and browser
// add.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { WAIT_MS } from "./chromium.ts";

/** The usual phone on slow 4G: 150 ms a round trip, 1.6 Mbit/s down and 0.75 up, a quarter of this CPU. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
/** As the browser's own tools name it; its latency is that of a whole request. */
export const FAST_4G = {
  offline: false,
  latency: 165,
  downloadThroughput: 8_100_000 / 8,
  uploadThroughput: 1_350_000 / 8,
};
const CPU_SLOWDOWN = 4;
const VIEWPORT = { width: 390, height: 844 };

/** Runs in the page, from its beginning. */
const WATCH = `
globalThis.feel = { lcpMs: 0, shift: 0, inpMs: 0 };
function watch(type, options, read) {
  new PerformanceObserver((list) => list.getEntries().forEach(read)).observe({ type, buffered: true, ...options });
}
watch("largest-contentful-paint", {}, ({ startTime }) => { feel.lcpMs = startTime; });
watch("layout-shift", {}, ({ hadRecentInput, value }) => { if (!hadRecentInput) feel.shift += value; });
watch("event", { durationThreshold: 16 }, ({ interactionId, duration }) => {
  if (interactionId > 0) feel.inpMs = Math.max(feel.inpMs, duration);
});
`;

/** The browser delivers what it measured of a frame after that frame was shown. */
const MEASURED = `(async () => {
  for (let frames = 0; frames < 3; frames++) await new Promise((resolve) => requestAnimationFrame(resolve));
  await new Promise((resolve) => setTimeout(resolve));
  const loaded = ["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type));
  const sizes = new Map(loaded.map(({ name, encodedBodySize }) => [name, encodedBodySize]));
  return { ...globalThis.feel, requests: sizes.size, bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) };
})()`;

export interface Feel {
  lcpMs: number;
  /** Cumulative layout shift. */
  shift: number;
  /** Of the slowest tap; 0 where none took 16 ms. */
  inpMs: number;
  /** Of different addresses, and what they sent, compressed. */
  requests: number;
  bytes: number;
}

/** Opens the page as a new visitor, or as one with such cookies, and uses it when it is there. */
export async function measureFeel(
  browser: Browser,
  url: string,
  use: (page: Page) => Promise<unknown>,
  {
    network = SLOW_4G,
    ...visitor
  }: Pick<BrowserContextOptions, "storageState"> & { network?: typeof SLOW_4G } = {},
): Promise<Feel> {
  const context = await browser.newContext({
    ...visitor,
    viewport: VIEWPORT,
    isMobile: true,
    hasTouch: true,
  });
  try {
    context.setDefaultTimeout(WAIT_MS);
    await context.addInitScript(WATCH);
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    await devTools.send("Network.enable");
    await devTools.send("Network.emulateNetworkConditions", network);
    await devTools.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    await page.goto(url);
    await use(page);
    return (await page.evaluate(MEASURED)) as Feel;
  } finally {
    await context.close();
  }
}

/** What a shopper without a wallet in the browser does on the checkout page. */
export async function useCheckout(page: Page): Promise<void> {
  await page.locator("svg.qr").waitFor();
  const choices = page.locator("label.tab");
  for (const choice of [1, 0, 1]) await choices.nth(choice).tap();
  await page.getByRole("button", { name: "Copy" }).first().tap();
}

const PLAIN = `<!doctype html><html lang="en"><head><title>Plain</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width"></head><body><script type="module" src="/plain.js"></script></body></html>`;

const PLAIN_SCRIPT = `
const text = await (await fetch("/text")).text();
document.body.innerHTML = "<button>" + text + "</button>";
document.querySelector("button").onclick = ({ target }) => { target.textContent += text; };
`;

const ANSWERS: Readonly<Record<string, [string, string]>> = {
  "/": ["text/html", PLAIN],
  "/plain.js": ["text/javascript", PLAIN_SCRIPT],
  "/text": ["text/plain", "A plain page"],
};

export interface PlainPage {
  feel(): Promise<Feel>;
}

/** What the plain page takes where nothing else runs. */
const PLAIN_LCP_MS = 700;
const PLAIN_INP_MS = 40;

/** How much longer than without other work the machine takes just now; never less than 1. */
export function rateSlowness({ lcpMs, inpMs }: Feel): { lcp: number; inp: number } {
  return { lcp: Math.max(1, lcpMs / PLAIN_LCP_MS), inp: Math.max(1, inpMs / PLAIN_INP_MS) };
}

/** With a page that could hardly do less: what it takes is the browser's and the machine's. */
export async function withPlainPage<A>(
  browser: Browser,
  work: (plain: PlainPage) => Promise<A>,
): Promise<A> {
  const server = createServer((request, response) => {
    const [type, text] = ANSWERS[request.url ?? ""] ?? ["text/plain", ""];
    response.setHeader("Content-Type", type);
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  async function tap(page: Page): Promise<void> {
    for (let taps = 0; taps < 3; taps++) await page.locator("button").tap();
  }

  try {
    return await work({ feel: () => measureFeel(browser, url, tap) });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
