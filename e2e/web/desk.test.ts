// A member of a shop before the dashboard: signed in by the link that the product prints, in a real browser.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { createOwnerLink } from "@pay/gateway";
import { type IdentityProvider, startIdentityProvider, until } from "@pay/testing";
import type { Page } from "playwright-core";
import { openWallet } from "../harness/wallet.ts";
import { keyHeader } from "../v1/product.ts";
import { describeWithBrowser, inspect } from "./browser.ts";
import { countClicks } from "./desk-clicks.ts";
import { workAsDeveloper } from "./desk-developers.ts";
import { lookAround, makeLink, watchList } from "./desk-home.ts";
import {
  assignTransfer,
  callAsShop,
  eraseCustomer,
  makeRefund,
  payInto,
  settle,
  signRefund,
} from "./desk-money.ts";
import { brandShop, changeSettings } from "./desk-project.ts";
import { closeMonth } from "./desk-reports.ts";
import { createPageWallet } from "./page-wallet.ts";
import { describeStories, type Stories } from "./visits.ts";

const DEMO_OWNER = "owner@localhost";
const CALLBACK = "http://localhost/dashboard/sign-in/oidc/callback";
const PRINTED_LINK = /Dashboard\s+(http:\S+)/;

/** A device of its own for the page, which says yes to everything. */
async function addDevice(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Codes, names, sign-ins and the way back in of a member who has lost the passkey. */
async function changeAccount(page: Page) {
  await page.getByRole("button", { name: /account of/ }).press("Enter");
  await page.getByRole("menuitem", { name: "Your account" }).press("Enter");
  await page.getByRole("heading", { name: "Your account" }).waitFor();
  await page.getByRole("button", { name: "Make codes" }).press("Enter");
  const codes = page.getByRole("dialog").getByRole("listitem");
  await codes.first().waitFor();
  expect(await inspect(page, "desk-codes")).toEqual([]);
  const code = await codes.first().textContent();
  await page.getByRole("button", { name: "I have kept them" }).press("Enter");
  await page.getByText("10 codes are left.").waitFor();
  await page.getByRole("button", { name: /^Rename/ }).press("Enter");
  await page.getByRole("dialog").getByLabel("Name").fill("Laptop at work");
  await page.keyboard.press("Enter");
  await page.getByText("Laptop at work").waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Compact" }).press("Enter");
  await page.locator("html[data-density=compact]").waitFor();
  await page.getByRole("button", { name: "UTC" }).press("Enter");
  await page.locator("html[data-zone=utc]").waitFor();
  await page.getByRole("button", { name: "Off" }).press("Enter");
  await page.keyboard.press("?");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.getByRole("button", { name: "On", exact: true }).press("Enter");
  expect(await inspect(page, "desk-account")).toEqual([]);
  await page.getByRole("button", { name: "End all others" }).press("Enter");
  await page.getByRole("button", { name: "End all others" }).waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Remove Laptop at work" }).press("Enter");
  await page.getByRole("button", { name: "Remove passkey" }).press("Enter");
  await page.getByText("None yet.").waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /account of/ }).press("Enter");
  await page.getByRole("menuitem", { name: "Sign out" }).press("Enter");
  await page.getByText("Lost your passkey?").click();
  await page.getByLabel("E-mail address").fill(DEMO_OWNER);
  await page.getByLabel("Recovery code").fill(code ?? "");
  expect(await inspect(page, "desk-recovery")).toEqual([]);
  await page.getByRole("button", { name: "Use this code" }).click();
  await page.getByText("Add a passkey to open the dashboard.").waitFor();
  expect(await inspect(page, "desk-first-passkey")).toEqual([]);
  await page.getByRole("button", { name: "Add a passkey" }).click();
}

/** By a link, so that the invitation asks for the passkey first. The invitation's link. */
async function invite(page: Page, link: string): Promise<string> {
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Members" }).first().press("Enter");
  await page.getByRole("button", { name: "Invite a person" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail address").fill("jonas@shop.example");
  expect(await inspect(page, "desk-invite")).toEqual([]);
  await dialog.getByRole("button", { name: "Make invitation" }).press("Enter");
  const shown = dialog.getByText("/dashboard/invitation/");
  await shown.waitFor();
  expect(await inspect(page, "desk-invited")).toEqual([]);
  const made = (await shown.textContent()) ?? "";
  await dialog.getByRole("button", { name: "Done" }).press("Enter");
  await page.getByText("Invited until").waitFor();
  return made;
}

/** An own role for the new member, in place of the one that was given. */
async function changeRoles(page: Page) {
  await page.getByRole("button", { name: "New role" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("till");
  await dialog.getByLabel("projects:read").check();
  expect(await inspect(page, "desk-role")).toEqual([]);
  await dialog.getByRole("button", { name: "Save role" }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Till").waitFor();
  await page.getByRole("button", { name: "Change roles of Jonas Berg" }).press("Enter");
  await dialog.getByLabel("Role in live mode").selectOption("till");
  await dialog.getByRole("button", { name: "Save roles" }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Jonas Berg").waitFor();
  expect(await inspect(page, "desk-members")).toEqual([]);
}

/** Money that fits two orders: it is taken by a person, gets a note, and is called done. */
async function answerNeed(page: Page, { shop, product }: Stories) {
  const { recipientAddress } = await shop.create({ amount: "2.25" });
  await shop.create({ amount: "2.25", recipientAddress });
  await page.getByRole("link", { name: "Needs you" }).first().press("Enter");
  await page.getByText("Nothing waits for you.").waitFor();
  expect(await inspect(page, "desk-needs-none")).toEqual([]);
  const { payNative } = await openWallet(product.credentials);
  await payNative(recipientAddress, 2_250_000_000_000_000_000n);
  const headers = keyHeader(product.credentials.secretKey);
  await until(
    async () => (await product.askOnly("GET", "/v1/needs", { headers })).body.data.length === 1,
    { what: "the transfer to wait" },
  );
  await page.reload();
  const row = page.getByRole("listitem").filter({ hasText: "2.25 ETH fits several open orders" });
  await row.waitFor();
  await page.getByRole("link", { name: "Needs you 1 waiting" }).first().waitFor();
  const more = row.getByRole("button", { name: /^More about/ });
  await more.press("Enter");
  await page.getByRole("menuitem", { name: "Take it" }).press("Enter");
  await row.getByTitle("Owner deals with it").waitFor();
  await more.press("Enter");
  await page.getByRole("menuitem", { name: "Write a note" }).press("Enter");
  await page.getByRole("dialog").getByLabel("Note").fill("Both shoppers were asked");
  await page.keyboard.press("Enter");
  await row.getByText("Both shoppers were asked").waitFor();
  await page.getByRole("link", { name: "Mine" }).press("Enter");
  await row.waitFor();
  expect(await inspect(page, "desk-needs")).toEqual([]);
  await more.press("Enter");
  await page.getByRole("menuitem", { name: "Call it done" }).press("Enter");
  await page.getByText("You have taken nothing").waitFor();
  await page.getByRole("link", { name: "Show all that waits" }).press("Enter");
  await page.getByText("Nothing waits for you.").waitFor();
}

describeWithBrowser("the dashboard", () => {
  let provider: IdentityProvider;
  const stories = describeStories(async () => {
    provider = await startIdentityProvider(CALLBACK);
    return { CHAINS_BOOKS_INTERVAL_MS: "500", OIDC: JSON.stringify(provider.settings) };
  });
  afterAll(() => provider?.stop());

  async function createLink(email = DEMO_OWNER): Promise<string> {
    const { running, credentials } = stories.product;
    const from = JSON.parse(readFileSync(join(running.dataDir, "run.json"), "utf8"));
    const owner = { email, name: "Owner", projectId: credentials.projectId };
    return (await createOwnerLink(from, owner)).dashboard;
  }

  test("opens by link, passkey, recovery code or invitation, and is used with the keyboard", async () => {
    const order = await stories.shop.create({ orderId: "A-1047" });
    const [, checkoutUrl = ""] = PRINTED_LINK.exec(stories.product.running.output()) ?? [];
    const { page } = await stories.visit({ checkoutUrl }, { expected: /status of 401/ });
    await page.getByRole("button", { name: "Sign in" }).click();
    await lookAround(page);
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    const row = page.getByRole("link", { name: "1.50 ETH" });
    await row.waitFor();
    expect(await inspect(page, "desk-payments")).toEqual([]);
    await watchList(page, stories);

    await page.getByRole("button", { name: "More", exact: true }).click();
    const more = page.getByRole("dialog", { name: "More filters" });
    await more.getByRole("combobox", { name: "Token", exact: true }).selectOption("native");
    await more.getByRole("combobox", { name: "Made by" }).selectOption("A person");
    expect(await inspect(page, "desk-filters")).toEqual([]);
    await more.getByRole("button", { name: "Apply" }).click();
    await page.getByText("No payment fits all 2 filters").waitFor();
    await page.getByRole("button", { name: "Clear Made by" }).click();
    await row.waitFor();
    await page.getByRole("button", { name: "Amount" }).click();
    await page.getByLabel("From").fill("1.51");
    await page.keyboard.press("Enter");
    await page.getByText("No payment fits all 2 filters").waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      amountFrom: "1.51",
      currency: "native",
    });
    await page.getByRole("button", { name: "Clear filters" }).click();

    await page.keyboard.press("Control+k");
    const field = page.getByRole("searchbox", { name: "Search" });
    await field.fill("no such order");
    await page.getByText("Nothing fits").waitFor();
    await field.fill("A-1047");
    await page.getByRole("link", { name: "Payment 1.50 ETH" }).waitFor();
    expect(await inspect(page, "desk-search")).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toBe(`/dashboard/payments/${order.id}`);
    await page.goBack();
    await row.waitFor();
    await page.keyboard.press("/");
    await page.getByRole("region", { name: "Recent" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Cancel payment" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel payment" }).click();
    await page.getByText("The shop cancelled the payment.").waitFor();
    expect(await inspect(page, "desk-payment")).toEqual([]);
    expect(await stories.shop.reaches(order, "expired")).toMatchObject({
      failureCode: "cancelled",
    });

    await addDevice(page);
    const line = page.getByText("With a passkey, this device signs you in");
    await line.waitFor();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await line.waitFor({ state: "detached" });
    await page.context().clearCookies();
    await page.reload();
    const passkey = page.getByRole("button", { name: "Continue with a passkey" });
    await passkey.waitFor();
    provider.setAway(true);
    await page.getByRole("link", { name: "Continue with Example" }).press("Enter");
    await page.getByText("The provider does not answer.").waitFor();
    provider.setAway(false);
    expect(await inspect(page, "desk-sign-in")).toEqual([]);
    await passkey.click();
    await page.getByText("The shop cancelled the payment.").waitFor();

    await changeAccount(page);
    await page.getByRole("link", { name: "1.50 ETH" }).waitFor();
    await makeLink(page, `0x${"1a".repeat(20)}`);
    await answerNeed(page, stories);
    await workAsDeveloper(page, stories);

    const { page: other } = await stories.visit(
      { checkoutUrl: await invite(page, await createLink()) },
      { expected: /status of 40[13]/ },
    );
    await other.getByLabel("Your name").fill("Jonas Berg");
    expect(await inspect(other, "desk-invitation")).toEqual([]);
    await other.getByRole("button", { name: "Join Demo" }).press("Enter");
    await other.getByRole("link", { name: "Payments", exact: true }).press("Enter");
    await other.getByRole("link", { name: "1.50 ETH" }).waitFor();
    await other.getByRole("button", { name: "Add a passkey" }).waitFor();
    await changeRoles(page);
    await other.reload();
    await other.getByText("does not see payments").waitFor();
    await other.getByRole("link", { name: "Settings" }).first().press("Enter");
    await other.getByText("does not change it. An owner can change that: Owner.").waitFor();
    expect(await other.getByLabel("Name", { exact: true }).isDisabled()).toBe(true);
    expect(await inspect(other, "desk-settings-read")).toEqual([]);
  });

  test("opens by an identity provider, which confirms what matters in a window of its own", async () => {
    const email = "eva@shop.example";
    provider.addAccount("eva", { email, email_verified: true });
    provider.setPerson("eva");
    const checkoutUrl = new URL("/dashboard/sign-in?next=/dashboard/keys", await createLink(email));
    const { page } = await stories.visit(
      { checkoutUrl: checkoutUrl.href },
      { expected: new RegExp(`status of 401|request to ${provider.settings.issuer}/`) },
    );
    await page.getByRole("link", { name: "Continue with Example" }).press("Enter");
    await page.getByRole("button", { name: "Make a key" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Till of Eva");
    const opened = page.waitForEvent("popup");
    await dialog.getByRole("button", { name: "Make key" }).press("Enter");
    const confirmation = await opened;
    await dialog.getByText(/^PAY_SECRET_KEY=sk_test_/).waitFor();
    await dialog.getByRole("button", { name: "I have kept it" }).press("Enter");
    expect(confirmation.isClosed()).toBe(true);
    await page.getByText("Till of Eva").waitFor();
  });

  test("returns and settles money with a wallet, and finds whose money is", async () => {
    const wallet = createPageWallet(stories.product.credentials, { account: 4 });
    const { id: customerId } = await callAsShop(stories, "POST", "/v1/customers", {
      walletAddress: `0x${"c4".repeat(20)}`,
      displayName: "Zoë",
    });
    const order = await payInto(stories, wallet, { customerId, orderId: "A-1048" });
    const { page } = await stories.visit(
      { checkoutUrl: await createLink() },
      { wallet, expected: /status of 40[01]/ },
    );
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("img", { name: "Received per day in ETH, today 1.50" }).waitFor();
    expect(await inspect(page, "desk-home")).toEqual([]);
    await addDevice(page);
    await page.getByRole("button", { name: /account of/ }).press("Enter");
    await page.getByRole("menuitem", { name: "Your account" }).press("Enter");
    const added = page.waitForResponse(
      (response) => response.url().endsWith("/dashboard/passkeys") && response.status() === 204,
    );
    await page.getByRole("main").getByRole("button", { name: "Add a passkey" }).last().click();
    await added;
    await page.goto(new URL(`/dashboard/payments/${order.id}`, page.url()).href);
    await makeRefund(page);
    await signRefund(page, wallet);
    expect(await stories.shop.reaches(order, "confirmed")).toMatchObject({
      receivedAmount: "1.5",
    });
    await settle(page, stories, wallet);
    await assignTransfer(page, stories);
    await eraseCustomer(page);
    await brandShop(page, stories, wallet);
    await changeSettings(page, stories);
    await closeMonth(page, stories, wallet);
    await countClicks(page, stories, wallet);
  });
});
