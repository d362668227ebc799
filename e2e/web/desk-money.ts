// What people of a shop do with money in the dashboard: return it, settle it, find whose it is.
import { randomBytes } from "node:crypto";
import { expect } from "@jest/globals";
import { until } from "@pay/testing";
import type { Page } from "playwright-core";
import { openWallet } from "../harness/wallet.ts";
import { keyHeader } from "../v1/product.ts";
import { inspect } from "./browser.ts";
import type { PageWallet } from "./page-wallet.ts";
import type { Order } from "./shop.ts";
import type { Stories } from "./visits.ts";

const BASE = 15n * 10n ** 17n;

/** A paid order, whose money is in the wallet of a browser. */
export async function payInto(stories: Stories, wallet: PageWallet, more = {}): Promise<Order> {
  const recipientAddress = await wallet.address();
  const order = await stories.shop.create({ recipientAddress, ...more });
  const { payNative } = await openWallet(stories.product.credentials);
  const txHash = await payNative(recipientAddress, BASE);
  await callAsShop(stories, "POST", `/v1/payments/${order.id}/transaction`, { txHash });
  await stories.shop.reaches(order, "confirmed");
  return order;
}

export async function callAsShop(
  { product: { credentials, askOnly } }: Stories,
  method: string,
  path: string,
  body?: object,
) {
  const headers = keyHeader(credentials.secretKey);
  const answer = await askOnly(method, path, { headers, ...(body && { body }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Returns a part from the payment's page; the service's objections stand at their fields. */
export async function makeRefund(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Return 1.50" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount in ETH").fill("2");
  await dialog.getByRole("button", { name: "Create refund" }).press("Enter");
  await dialog.getByRole("alert").getByText("refund_amount_too_large").waitFor();
  expect(await inspect(page, "desk-refund-dialog")).toEqual([]);
  await dialog.getByLabel("Amount in ETH").fill("0.5");
  await dialog.getByLabel("Reason").fill("One mug was broken");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "0.50 ETH" }).waitFor();
}

/** From the list: a wrong network and a refusal are said, nothing is sent until the person agrees. */
export async function signRefund(page: Page, wallet: PageWallet): Promise<void> {
  await page.getByRole("link", { name: "Refunds" }).first().press("Enter");
  await page.getByRole("button", { name: "Sign 1" }).waitFor();
  expect(await inspect(page, "desk-refunds")).toEqual([]);
  wallet.useOtherNetwork();
  await page.getByRole("button", { name: "Sign 1" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Return 0.50 ETH" });
  await dialog.getByText("is on another network").waitFor();
  expect(await inspect(page, "desk-sign")).toEqual([]);
  wallet.declineNext();
  await dialog.getByRole("button", { name: "Sign with Test wallet" }).press("Enter");
  await dialog.getByText("declined. Nothing was sent.").waitFor();
  await dialog.getByText("the right wallet and network").waitFor();
  await dialog.getByRole("button", { name: "Sign with Test wallet" }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "0.50 ETH" }).press("Enter");
  await page.getByText("The money went back").waitFor();
  expect(await inspect(page, "desk-refund")).toEqual([]);
}

/** Two people: the member asks, the shop's key approves, and the other way round. */
export async function settle(page: Page, stories: Stories, wallet: PageWallet): Promise<void> {
  const { chainId } = stories.product.credentials;
  const treasury = `0x${randomBytes(20).toString("hex")}`;
  const sourceAddress = await wallet.address();
  await page.getByRole("link", { name: "Settlements" }).first().press("Enter");
  await page.getByText("No wallet yet.").waitFor();
  await page.getByRole("button", { name: "Add a wallet" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address").fill(treasury);
  await dialog.getByLabel("Name").fill("Treasury");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Ready", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Request settlement" }).press("Enter");
  await dialog.getByText("all that can be settled, 1.00 ETH").waitFor();
  await dialog.getByLabel("From, your wallet").fill(sourceAddress);
  await dialog.getByLabel("Amount").fill("0.25");
  expect(await inspect(page, "desk-settle")).toEqual([]);
  await dialog.getByRole("button", { name: "Request settlement" }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  const link = page.getByRole("link", { name: "0.25 ETH" });
  await link.waitFor();
  const balances = page.getByRole("region", { name: "Balances" });
  await balances.getByRole("row").filter({ hasText: "0.75 ETH" }).waitFor();
  expect(await inspect(page, "desk-settlements")).toEqual([]);

  const { data } = await callAsShop(stories, "GET", "/v1/settlements?status=requested");
  await callAsShop(stories, "POST", `/v1/settlements/${data[0].id}/approve`);
  await link.press("Enter");
  await page.getByRole("button", { name: "Sign", exact: true }).press("Enter");
  await dialog.getByRole("button", { name: "Sign with Test wallet" }).press("Enter");
  await page.getByText("The money arrived").waitFor();
  expect(await inspect(page, "desk-settlement")).toEqual([]);

  const currency = "native";
  const wanted = { chainId, currency, sourceAddress, destinationAddress: treasury, amount: "0.1" };
  const { id } = await callAsShop(stories, "POST", "/v1/settlements", wanted);
  await page.goBack();
  await page.getByRole("link", { name: "To approve" }).press("Enter");
  await page.getByRole("link", { name: "0.10 ETH" }).press("Enter");
  await page.getByRole("button", { name: "Reject" }).press("Enter");
  await dialog.getByRole("button", { name: "Reject" }).press("Enter");
  await page.getByText("It was rejected.").waitFor();
  expect((await callAsShop(stories, "GET", `/v1/settlements/${id}`)).status).toBe("failed");
}

/** Money that fits two orders is nobody's until a person says whose it is. */
export async function assignTransfer(page: Page, stories: Stories): Promise<void> {
  const recipientAddress = `0x${randomBytes(20).toString("hex")}`;
  const orderIds = ["B-1", "B-2"];
  const [order] = await Promise.all(
    orderIds.map((orderId) => stories.shop.create({ recipientAddress, orderId })),
  );
  const { payNative } = await openWallet(stories.product.credentials);
  await payNative(recipientAddress, BASE);
  await until(
    async () => {
      const { data } = await callAsShop(stories, "GET", "/v1/transfers?unmatched=true");
      return data.some(({ to }: { to: string }) => to.toLowerCase() === recipientAddress);
    },
    { what: "the transfer that two orders fit" },
  );
  await page.getByRole("link", { name: "Transfers" }).first().press("Enter");
  await page.getByRole("link", { name: "Without a payment" }).press("Enter");
  await page.getByRole("button", { name: "Assign" }).first().press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("B-1").check();
  expect(await inspect(page, "desk-assign")).toEqual([]);
  await dialog.getByRole("button", { name: "Assign" }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "All", exact: true }).press("Enter");
  await page.getByText("Pays a payment").first().waitFor();
  expect(await inspect(page, "desk-transfers")).toEqual([]);
  if (order !== undefined) await stories.shop.reaches(order, "confirmed");
}

/** One customer with what it paid; the data is erased once its name is typed. */
export async function eraseCustomer(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Customers" }).first().press("Enter");
  await page.getByRole("link", { name: "Zoë" }).waitFor();
  expect(await inspect(page, "desk-customers")).toEqual([]);
  await page.getByRole("link", { name: "Zoë" }).press("Enter");
  await page.getByRole("button", { name: "Edit" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Zoë Berg");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Zoë Berg" }).waitFor();
  await page.getByRole("link", { name: "0.50 ETH" }).waitFor();
  expect(await inspect(page, "desk-customer")).toEqual([]);
  await page.getByRole("button", { name: "Erase" }).press("Enter");
  const erase = dialog.getByRole("button", { name: "Erase customer" });
  expect(await erase.isDisabled()).toBe(true);
  await dialog.getByLabel("Type Zoë Berg").fill("Zoë Berg");
  await erase.press("Enter");
  await page.getByText("No customers yet").waitFor();
}
