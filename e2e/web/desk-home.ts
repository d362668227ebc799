// What a member sees first: Home, the chains below it, and a payment link made with few keys.
import { expect } from "@jest/globals";
import type { Page } from "playwright-core";
import { decoded, inspect } from "./browser.ts";
import { callAsShop } from "./desk-money.ts";
import type { Stories } from "./visits.ts";

/** From the checklist of a project without payments to the bars of one that has some. */
export async function lookAround(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "First steps" }).waitFor();
  expect(await inspect(page, "desk-first-steps")).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 844 });
  await page.getByRole("button", { name: "Live" }).click();
  const latest = page.getByRole("region", { name: "Latest payments" });
  await latest.getByRole("link", { name: "1.50 ETH" }).waitFor();
  await page.getByRole("button", { name: "Hide amounts" }).press("Enter");
  await latest.getByRole("link", { name: "••• ETH" }).waitFor();
  await page.getByRole("button", { name: "Show amounts" }).press("Enter");
  const chart = page.getByRole("region", { name: "Received per day" });
  await chart.getByRole("img", { name: "Received per day in ETH, today 0.00" }).waitFor();
  await chart.getByRole("button", { name: "as a table" }).press("Enter");
  await chart.getByRole("columnheader", { name: "Received, ETH" }).waitFor();
  expect(await chart.getByRole("row").count()).toBe(31);

  await page.getByRole("link", { name: "1 chain up to date" }).press("Enter");
  await page.getByText("1 of 1 answer").waitFor();
  expect(await inspect(page, "desk-chains")).toEqual([]);
}

/** A new payment waits above the list until it is wanted; what happens to it is seen in its row. */
export async function watchList(page: Page, stories: Stories): Promise<void> {
  const { id } = await stories.shop.create({ amount: "1.25", orderId: "A-1049" });
  const arrived = page.getByRole("button", { name: "1 new payment" });
  await arrived.waitFor();
  expect(await page.getByRole("link", { name: "1.25 ETH" }).count()).toBe(0);
  expect(await inspect(page, "desk-payments-new")).toEqual([]);
  await arrived.press("Enter");
  const link = page.getByRole("link", { name: "1.25 ETH" });
  await link.waitFor();
  await page.locator("td a:focus").filter({ hasText: "1.25" }).waitFor();
  await callAsShop(stories, "POST", `/v1/payments/${id}/cancel`);
  await page.getByRole("row").filter({ has: link }).getByText("Cancelled").waitFor();
}

/** No click at all: a key, the amount, and what the dialog begins with. */
export async function makeLink(page: Page, recipientAddress: string): Promise<void> {
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("New payment link").waitFor();
  expect(await inspect(page, "desk-keys")).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("c");
  await dialog.getByLabel("Amount").fill("24.5");
  await dialog.getByLabel("Your wallet").fill(recipientAddress);
  await dialog.getByLabel("Order").fill("10482");
  await dialog.getByLabel("Payer sends to").selectOption("An address of its own");
  expect(await inspect(page, "desk-link-new")).toEqual([]);
  await dialog.getByLabel("Order").press("Enter");
  const link = dialog.getByLabel("Link", { exact: true });
  await link.waitFor();
  const address = await link.inputValue();
  expect(await decoded(page)).toBe(address);
  expect(await dialog.getByLabel("Message").inputValue()).toContain(`for order 10482: ${address}`);
  expect(await inspect(page, "desk-link")).toEqual([]);
  await dialog.getByRole("button", { name: "Done" }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Link of 24.5" }).waitFor();
  expect(await inspect(page, "desk-links")).toEqual([]);
}
