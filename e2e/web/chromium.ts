import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

// The shell without a window needs less than half of the processor time for the same pages.
const SHELL = "/usr/bin/chromium-headless-shell";
const { CHROMIUM = existsSync(SHELL) ? SHELL : "/usr/bin/chromium" } = process.env;

/** For a page on a busy machine. */
export const WAIT_MS = 90_000;

/** Undefined where there is a Chromium. */
export function missingChromium(): string | undefined {
  return existsSync(CHROMIUM) ? undefined : `no Chromium at ${CHROMIUM}; CHROMIUM names another`;
}

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox"],
    timeout: 180_000,
  });
}
