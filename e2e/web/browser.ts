// A real browser before the real product. What a page must never do is watched on every page: no error in its console,
// no request to another host.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describeUnless } from "@pay/testing";
import jsqr from "jsqr";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { PNG } from "pngjs";
import { describeWithProduct } from "../v1/product.ts";
import { missingChromium, WAIT_MS } from "./chromium.ts";

/** A folder, for people who want to look. */
const { SCREENSHOTS } = process.env;

export interface Look {
  width?: number;
  height?: number;
  dark?: boolean;
  language?: string;
  /** With fingers in place of a mouse. */
  phone?: boolean;
}

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  /** What the page did that it must not do. */
  faults: string[];
  /** How many streams of changes it has opened. */
  streams(): number;
  /** Bytes that were sent for it, by the last part of the path. */
  sizes: Map<string, number>;
}

export type Prepare = (context: BrowserContext) => Promise<unknown>;

/** With a product and a Chromium. */
export function describeWithBrowser(name: string, body: () => void): void {
  describeUnless(missingChromium(), name, () => describeWithProduct(name, body));
}

export async function openPage(
  browser: Browser,
  url: string,
  { look = {}, prepare = async () => {} }: { look?: Look; prepare?: Prepare } = {},
): Promise<OpenPage> {
  const { width = 390, height = 844, dark = false, language = "en", phone = false } = look;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    locale: language,
    hasTouch: phone,
    isMobile: phone,
  });
  context.setDefaultTimeout(WAIT_MS);
  await prepare(context);
  const page = await context.newPage();
  const faults: string[] = [];
  const sizes = new Map<string, number>();
  const { origin } = new URL(url);
  page.on("console", (line) => {
    if (["error", "warning"].includes(line.type())) faults.push(`console: ${line.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const to = request.url();
    if (!to.startsWith("data:") && new URL(to).origin !== origin) faults.push(`request to ${to}`);
  });
  page.on("requestfinished", async (request) => {
    const { responseBodySize } = await request.sizes().catch(() => ({ responseBodySize: 0 }));
    sizes.set(new URL(request.url()).pathname.split("/").at(-1) ?? "", responseBodySize);
  });
  let streams = 0;
  page.on("response", (response) => {
    if (response.headers()["content-type"]?.startsWith("text/event-stream")) streams++;
  });
  await page.goto(url);
  return { page, context, faults, sizes, streams: () => streams };
}

export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

export const LOOKS: Look[] = [390, 1280].flatMap((width) => [
  { width, dark: false },
  { width, dark: true },
]);

/** Violations of WCAG on a screen in all its looks. The dark ones differ from the light ones by their colours only. */
export async function inspect(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const { width = 390, dark = false } of LOOKS) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
    const shown = `${name}-${width}-${dark ? "dark" : "light"}`;
    const found = await accessibilityFaults(page, dark ? CONTRAST : LEVELS);
    faults.push(...found.map((fault) => `${shown}: ${fault}`));
    await keepScreenshot(page, shown);
  }
  return faults;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const CONTRAST = ["color-contrast"];

/**
 * Violations of WCAG 2.2 AA, by rule. The checker goes in by the debugger, so the page's own policy stays in force. A
 * colour that is on its way to another one says nothing, so transitions are ended first: a page that is not drawn would
 * never end them.
 */
export async function accessibilityFaults(page: Page, rules = LEVELS): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) {
      if (animation instanceof CSSTransition) animation.finish();
    }
  });
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: unknown[] }[] }> };
    };
    const { violations } = await axe.run({ runOnly });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.length}`);
  }, rules);
}

/** A CommonJS module whose types are those of an ES module. */
const decode = jsqr as unknown as typeof jsqr.default;

/** What a camera reads on the page. */
export async function decoded(page: Page): Promise<string | undefined> {
  const { data, width, height } = PNG.sync.read(await page.locator("svg.qr").screenshot());
  return decode(new Uint8ClampedArray(data), width, height)?.data;
}

/** The browser keeps the shifts from the page's beginning, and counts those of a frame when it has painted it. */
export function measureShift(page: Page): Promise<number> {
  return page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type: "layout-shift", buffered: true });
    const shifts = observer.takeRecords() as unknown as Shift[];
    observer.disconnect();
    return shifts.reduce((sum, shift) => sum + (shift.hadRecentInput ? 0 : shift.value), 0);
  });
}

interface Shift {
  value: number;
  hadRecentInput: boolean;
}
