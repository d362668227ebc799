// What people of a shop come for, each begun at Home. Clicks of the mouse are counted; typing, Tab and Enter are none.
import { randomBytes } from "node:crypto";
import { expect } from "@jest/globals";
import { startReceiver, until } from "@pay/testing";
import type { Locator, Page } from "playwright-core";
import { openWallet } from "../harness/wallet.ts";
import { inspect } from "./browser.ts";
import { callAsShop, payInto } from "./desk-money.ts";
import { downloadMonth } from "./desk-reports.ts";
import type { PageWallet } from "./page-wallet.ts";
import type { Stories } from "./visits.ts";

const HOUR_MS = 3_600_000;

interface Task {
  name: string;
  clicksMax: number;
  begin?: () => Promise<unknown>;
  work: (click: (target: Locator) => Promise<void>) => Promise<unknown>;
}

/** A transaction to somebody else was submitted for an order. Its hash. */
async function payElsewhere(stories: Stories): Promise<string> {
  const { id } = await stories.shop.create({ amount: "3.5" });
  const { payNative } = await openWallet(stories.product.credentials);
  const txHash = await payNative(`0x${randomBytes(20).toString("hex")}`, 35n * 10n ** 17n);
  await callAsShop(stories, "POST", `/v1/payments/${id}/transaction`, { txHash });
  await until(
    async () => (await callAsShop(stories, "GET", `/v1/payments/${id}`)).status === "failed",
    { what: "the payment to fail" },
  );
  return txHash;
}

/** An endpoint that was disabled while an order was cancelled. */
async function missDelivery(stories: Stories, url: string): Promise<void> {
  const made = { url, events: ["payment.expired"] };
  const { id } = await callAsShop(stories, "POST", "/v1/webhook-endpoints", made);
  const path = `/v1/webhook-endpoints/${id}`;
  await callAsShop(stories, "PUT", path, { enabled: false });
  const order = await stories.shop.create({ amount: "4.25" });
  await callAsShop(stories, "POST", `/v1/payments/${order.id}/cancel`);
  await until(
    async () => (await callAsShop(stories, "GET", `${path}/deliveries?state=parked`)).total === 1,
    { what: "the parked delivery" },
  );
  await callAsShop(stories, "PUT", path, { enabled: true });
}

function toLocal(ms: number): string {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The member has a passkey, and the month is closed. */
export async function countClicks(page: Page, stories: Stories, wallet: PageWallet): Promise<void> {
  const receiver = await startReceiver({ plain: true });
  const hash = await payElsewhere(stories);
  await missDelivery(stories, `${receiver.url}/missed`);
  const dialog = page.getByRole("dialog");
  const nav = (name: string) => page.getByRole("link", { name }).first();
  const { keyboard } = page;

  const tasks: Task[] = [
    {
      name: "find the cause by a hash",
      clicksMax: 4,
      work: async (click) => {
        await click(page.getByRole("button", { name: "Search an id" }));
        await page.getByRole("searchbox", { name: "Search" }).fill(hash);
        await click(page.getByRole("link", { name: "Payment 3.50 ETH" }));
        await page.getByText("The transaction paid another address.").waitFor();
      },
    },
    {
      name: "resend what failed between two times",
      clicksMax: 5,
      work: async (click) => {
        await click(nav("Webhooks"));
        await click(page.getByRole("link", { name: "Endpoints", exact: true }));
        const card = page.getByRole("listitem").filter({ hasText: "/missed" });
        await click(card.getByRole("button", { name: /^More about/ }));
        await click(page.getByRole("menuitem", { name: "Resend what it missed" }));
        await dialog.getByLabel("Failed from").fill(toLocal(Date.now() - HOUR_MS));
        await dialog.getByLabel("To").fill(toLocal(Date.now() + HOUR_MS));
        expect(await inspect(page, "desk-resend")).toEqual([]);
        await dialog.getByLabel("To").press("Enter");
        await click(dialog.getByRole("button", { name: "Resend 1" }));
        await dialog.waitFor({ state: "detached" });
        await receiver.next();
      },
    },
    {
      name: "close a month",
      clicksMax: 4,
      work: async (click) => {
        await click(nav("Reports"));
        await click(page.getByRole("table").first().getByRole("link").first());
        await downloadMonth(page, stories, click);
      },
    },
    {
      name: "refund half of a payment, signed",
      clicksMax: 6,
      begin: () => payInto(stories, wallet, { orderId: "A-2001" }),
      work: async (click) => {
        const latest = page.getByRole("region", { name: "Latest payments" });
        await click(latest.getByRole("link", { name: "1.50 ETH" }).first());
        await click(page.getByRole("button", { name: "Return 1.50" }));
        await dialog.getByLabel("Amount in ETH").waitFor();
        await keyboard.type("0.75");
        await keyboard.press("Enter");
        await click(page.getByRole("link", { name: "0.75 ETH" }));
        await click(page.getByRole("button", { name: "Sign", exact: true }));
        await click(dialog.getByRole("button", { name: "Sign with Test wallet" }));
        await page.getByText("The money went back").waitFor();
      },
    },
    {
      name: "invite a person with a limit",
      clicksMax: 5,
      work: async (click) => {
        await click(nav("Members"));
        await click(page.getByRole("button", { name: "Invite a person" }));
        await keyboard.type("mia@shop.example");
        await click(dialog.getByLabel("Amount a day"));
        await keyboard.type("0.5");
        await click(dialog.getByRole("button", { name: "Make invitation" }));
        await click(dialog.getByRole("button", { name: "Copy link" }));
        await dialog.getByRole("button", { name: "Copied" }).waitFor();
      },
    },
    {
      name: "make a payment link",
      clicksMax: 4,
      work: async (click) => {
        await click(nav("Payment links"));
        await click(page.getByRole("main").getByRole("link", { name: "New link" }).first());
        await dialog.getByLabel("Amount").waitFor();
        await keyboard.type("24.5");
        await click(dialog.getByRole("button", { name: "Create link" }));
        await dialog.getByLabel("Link", { exact: true }).waitFor();
        await click(dialog.getByRole("button", { name: "Copy link" }));
      },
    },
  ];

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const table: string[] = [];
  try {
    for (const { name, clicksMax, begin, work } of tasks) {
      await begin?.();
      await page.goto(new URL("/dashboard/", page.url()).href);
      let clicks = 0;
      await work(async (target) => {
        clicks++;
        await target.click();
      });
      table.push(`${name.padEnd(40)} ${clicks} of ${clicksMax} clicks`);
      expect({ name, fits: clicks <= clicksMax }).toEqual({ name, fits: true });
    }
  } finally {
    process.stdout.write(`${table.join("\n")}\n`);
    await receiver.stop();
  }
}
