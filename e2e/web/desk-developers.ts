// What developers of a shop do before the dashboard: endpoints and their deliveries, keys, the audit log.
import { expect } from "@jest/globals";
import { type Receiver, startReceiver, until } from "@pay/testing";
import type { Page } from "playwright-core";
import { keyHeader } from "../v1/product.ts";
import { inspect } from "./browser.ts";
import type { Stories } from "./visits.ts";

const REQUEST_ID = "order-4711";

async function addEndpoint(page: Page, receiver: Receiver) {
  await page.getByRole("link", { name: "Webhooks" }).first().press("Enter");
  await page.getByRole("link", { name: "Endpoints", exact: true }).press("Enter");
  await page.getByRole("button", { name: "Add endpoint" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address").fill(`${receiver.url}/hooks`);
  await dialog.getByLabel("All events").uncheck();
  await dialog.getByLabel("payment.confirmed").check();
  expect(await inspect(page, "desk-endpoint-add")).toEqual([]);
  await dialog.getByRole("button", { name: "Add endpoint" }).press("Enter");
  await dialog.getByText(/^whsec_/).waitFor();
  expect(await inspect(page, "desk-endpoint-secret")).toEqual([]);
  await dialog.getByRole("button", { name: "I have kept it" }).press("Enter");
  const card = page.getByRole("listitem").filter({ hasText: "/hooks" });
  await card.getByText("1 event type").waitFor();
  await card.getByRole("button", { name: /^More about/ }).press("Enter");
  await page.getByRole("menuitem", { name: "Make a new secret" }).press("Enter");
  await dialog.getByRole("button", { name: "Make secret" }).press("Enter");
  await dialog.getByText("signs beside it until").waitFor();
  await dialog.getByRole("button", { name: "I have kept it" }).press("Enter");
  await card.getByText("Two secrets sign until").waitFor();
  await card.getByRole("button", { name: /^Ping/ }).press("Enter");
  await card.getByText("Sent").waitFor();
  expect(await inspect(page, "desk-endpoints")).toEqual([]);
}

async function readDelivery(page: Page, { product }: Stories) {
  const headers = keyHeader(product.credentials.secretKey);
  await until(async () => {
    const { body } = await product.askOnly("GET", "/v1/deliveries/health", { headers });
    return body.data.some(({ successRate }: { successRate: number | null }) => successRate === 100);
  });
  await page.getByRole("link", { name: "Deliveries", exact: true }).press("Enter");
  await page.getByRole("img", { name: "1 of 1 attempts succeeded" }).waitFor();
  const row = page.getByRole("row").filter({ hasText: "/hooks" });
  await row.first().getByText("200").waitFor();
  await row.first().getByRole("link", { name: "ping" }).press("Enter");
  const panel = page.getByRole("complementary", { name: "Delivery" });
  await panel.getByText("Attempts").waitFor();
  await panel.getByRole("tab", { name: "Headers" }).press("Enter");
  await panel.getByText("X-Service-Event: ping").waitFor();
  await panel.getByRole("tab", { name: "Body" }).press("Enter");
  expect(await inspect(page, "desk-deliveries")).toEqual([]);
  const before = page.url();
  await panel.getByRole("button", { name: "Resend" }).press("Enter");
  await page.waitForURL((url) => url.href !== before);
  await row.nth(1).waitFor();
  await panel.getByText("Resent, 1 time").waitFor();
  await panel.getByRole("link", { name: "Close" }).press("Enter");
  await panel.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Event types", exact: true }).press("Enter");
  await page.getByText("payment.expired", { exact: true }).click();
  await page.getByRole("tab", { name: "Body" }).waitFor();
  expect(await inspect(page, "desk-event-types")).toEqual([]);
}

async function readEvent(page: Page) {
  await page.getByRole("link", { name: "Events" }).first().press("Enter");
  await page.getByRole("link", { name: "payment.expired" }).first().press("Enter");
  const panel = page.getByRole("complementary", { name: "Event" });
  await panel.getByText("No endpoint was told of it.").waitFor();
  expect(await inspect(page, "desk-events")).toEqual([]);
  await panel.getByRole("link", { name: "Close" }).press("Enter");
}

/** A request that failed is found in the list, and by its id in the search. */
async function readRequests(page: Page, { product }: Stories) {
  const headers = { ...keyHeader(product.credentials.secretKey), "x-request-id": REQUEST_ID };
  await product.askOnly("GET", "/v1/payments?status=nonsense", { headers });
  await until(
    async () => {
      const { body } = await product.askOnly("GET", `/v1/search?q=${REQUEST_ID}`, { headers });
      return body.data.length > 0;
    },
    { what: "the request in the log" },
  );
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("link", { name: "Requests" }).first().press("Enter");
  await page.getByRole("link", { name: "Failed", exact: true }).press("Enter");
  await page.getByRole("link", { name: "GET /v1/payments" }).first().press("Enter");
  const panel = page.getByRole("complementary", { name: "Request" });
  const code = panel.getByRole("link", { name: "field_invalid" });
  expect(await code.getAttribute("href")).toBe("/docs/errors#field_invalid");
  await panel.getByRole("button", { name: "Copy as curl" }).press("Enter");
  await panel.getByRole("button", { name: "Copied" }).waitFor();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  expect(curl).toMatch(/^curl 'http:\S+\/v1\/payments' -H "X-Secret-Key: \$PAY_SECRET_KEY"$/);
  expect(await inspect(page, "desk-requests")).toEqual([]);
  await panel.getByRole("link", { name: "Close" }).press("Enter");
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search" }).fill(REQUEST_ID);
  await page.getByRole("link", { name: "Request GET /v1/payments" }).press("Enter");
  await page.getByText("1 request").waitFor();
}

async function useKeys(page: Page) {
  await page.getByRole("link", { name: "API keys" }).first().press("Enter");
  await page.getByRole("button", { name: "Make a key" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Till");
  await dialog.getByLabel("It may do everything").uncheck();
  await dialog.getByLabel("payments:read").check();
  expect(await inspect(page, "desk-key-make")).toEqual([]);
  await dialog.getByRole("button", { name: "Make key" }).press("Enter");
  await dialog.getByText(/^PAY_SECRET_KEY=rk_test_/).waitFor();
  expect(await inspect(page, "desk-key")).toEqual([]);
  await dialog.getByRole("button", { name: "I have kept it" }).press("Enter");
  await page.getByRole("button", { name: "Roll Till" }).press("Enter");
  await dialog.getByRole("button", { name: "Roll key" }).press("Enter");
  await dialog.getByText("The old key works until").waitFor();
  await dialog.getByRole("button", { name: "I have kept it" }).press("Enter");
  await page.getByRole("button", { name: "Revoke Till" }).first().press("Enter");
  await dialog.getByRole("button", { name: "Revoke key" }).press("Enter");
  await page.getByText("Revoked").waitFor();
  expect(await inspect(page, "desk-keys")).toEqual([]);
}

async function readAudit(page: Page) {
  await page.getByRole("link", { name: "Audit log" }).first().press("Enter");
  await page.getByText("projects.keys.roll").first().waitFor();
  expect(await inspect(page, "desk-audit")).toEqual([]);
  await page.getByRole("button", { name: "What", exact: true }).click();
  await page.getByRole("dialog").getByLabel("What").fill("projects.keys.delete");
  await page.keyboard.press("Enter");
  await page.getByText("1 entry").waitFor();
}

/** The test began with an endpoint of no one, and ends with none. */
export async function workAsDeveloper(page: Page, stories: Stories): Promise<void> {
  const receiver = await startReceiver({ plain: true });
  try {
    await addEndpoint(page, receiver);
    await readDelivery(page, stories);
    await readEvent(page);
    await readRequests(page, stories);
    await useKeys(page);
    await readAudit(page);
  } finally {
    await receiver.stop();
  }
}
