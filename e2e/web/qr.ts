import jsqr from "jsqr";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";

/** A CommonJS module whose types are those of an ES module. */
const decode = jsqr as unknown as typeof jsqr.default;

/** What a camera reads on the page. */
export async function decoded(page: Page): Promise<string | undefined> {
  const { data, width, height } = PNG.sync.read(await page.locator("svg.qr").screenshot());
  return decode(new Uint8ClampedArray(data), width, height)?.data;
}
