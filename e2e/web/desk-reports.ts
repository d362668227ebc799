// What an accountant does in the dashboard: closes a month, with a file whose sums are those of the page.
import { readFile } from "node:fs/promises";
import { expect } from "@jest/globals";
import { callNode } from "@pay/embedded";
import { until } from "@pay/testing";
import type { Locator, Page } from "playwright-core";
import { inspect } from "./browser.ts";
import { callAsShop } from "./desk-money.ts";
import type { PageWallet } from "./page-wallet.ts";
import type { Stories } from "./visits.ts";

/** Until a block is final, and the minute that the books are behind. */
const BLOCKS = "0x8c";
const TAKEN = 10n ** 16n;
const KINDS = ["payments", "refunds", "settlements"] as const;

function toBase(amount: string): bigint {
  const [whole = "0", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(18, "0"));
}

/** Sums of the rows of a file without line breaks and commas in its cells, by type. */
function sumFile(text: string): bigint[] {
  const [head = "", ...rows] = text.trim().split("\r\n");
  const names = head.split(",");
  const cells = rows.map((row) => row.split(","));
  return KINDS.map((kind) =>
    cells
      .filter((row) => `${row[names.indexOf("type")]}s` === kind)
      .reduce((sum, row) => sum + toBase(row[names.indexOf("amount")] ?? ""), 0n),
  );
}

function getMonth(): string {
  return new Date().toISOString().slice(0, 7);
}

async function readBooks(stories: Stories): Promise<Record<(typeof KINDS)[number], string>[]> {
  return (await callAsShop(stories, "GET", `/v1/books/${getMonth()}?limit=100`)).data;
}

/** The file of the month that the page shows; its sums are those of the books. */
export async function downloadMonth(
  page: Page,
  stories: Stories,
  press: (button: Locator) => Promise<void>,
): Promise<void> {
  const saved = page.waitForEvent("download");
  await press(page.getByRole("button", { name: "Download CSV" }));
  const file = await saved;
  expect(file.suggestedFilename()).toBe(`month-${getMonth()}.csv`);
  const books = await readBooks(stories);
  const sums = KINDS.map((kind) => books.reduce((sum, row) => sum + toBase(row[kind]), 0n));
  expect(sumFile(await readFile(await file.path(), "utf8"))).toEqual(sums);
}

/** Where the chain has taken money that no transaction explains. */
export async function closeMonth(page: Page, stories: Stories, wallet: PageWallet): Promise<void> {
  const { chainRpcUrl } = stories.product.credentials;
  const address = await wallet.address();
  await callNode(chainRpcUrl, "anvil_mine", [BLOCKS]);
  await until(
    async () => (await readBooks(stories)).some(({ settlements }) => settlements === "0.25"),
    { what: "the settlement in the books" },
  );
  const had = BigInt(
    (await callNode(chainRpcUrl, "eth_getBalance", [address, "latest"])) as string,
  );
  await callNode(chainRpcUrl, "anvil_setBalance", [address, `0x${(had - TAKEN).toString(16)}`]);
  await callNode(chainRpcUrl, "anvil_mine", [BLOCKS]);
  await until(
    async () =>
      (await callAsShop(stories, "GET", "/v1/needs?kind=book_difference")).data.length === 1,
    { what: "the difference" },
  );
  await page.getByRole("link", { name: "Needs you" }).first().press("Enter");
  await page.getByText("The chain has 0.01 ETH less than the records").first().waitFor();
  await page.getByRole("link", { name: "Reports" }).first().press("Enter");
  await page.getByText("1 difference").waitFor();
  await page.getByText("Received").waitFor();
  expect(await inspect(page, "desk-reports")).toEqual([]);
  await page.getByRole("table").first().getByRole("link").first().press("Enter");
  await page.getByText("− 0.01").waitFor();
  expect(await inspect(page, "desk-month")).toEqual([]);
  await page.emulateMedia({ media: "print" });
  expect(await page.getByRole("navigation").first().isVisible()).toBe(false);
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("button", { name: /^Note about ETH/ }).press("Enter");
  await page.getByLabel("Note", { exact: true }).fill("Burnt by the test chain");
  await page.keyboard.press("Enter");
  await page.getByText("Burnt by the test chain").waitFor();
  await downloadMonth(page, stories, (button) => button.press("Enter"));
  await page.getByRole("link", { name: "Reports" }).nth(1).press("Enter");
  await page.getByText("Running").waitFor();
}
