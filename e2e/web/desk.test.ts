// A member of a shop before the dashboard: signed in by the link that the product prints, in a real browser.
import { expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { describeWithBrowser, inspect } from "./browser.ts";
import { describeStories } from "./visits.ts";

const DEMO_OWNER = "owner@localhost";
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

describeWithBrowser("the dashboard", () => {
  const stories = describeStories();

  test("opens by link, passkey or recovery code; a payment is cancelled, the account changed", async () => {
    const order = await stories.shop.create({ orderId: "A-1047" });
    const [, checkoutUrl = ""] = PRINTED_LINK.exec(stories.product.running.output()) ?? [];
    const { page } = await stories.visit({ checkoutUrl }, { expected: /status of 401/ });
    await page.getByRole("button", { name: "Sign in" }).click();
    const row = page.getByRole("link", { name: "1.50 ETH" });
    await row.waitFor();
    expect(await inspect(page, "desk-payments")).toEqual([]);

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
    const line = page.getByText("Links work once.");
    await line.waitFor();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await line.waitFor({ state: "detached" });
    await page.context().clearCookies();
    await page.reload();
    const passkey = page.getByRole("button", { name: "Continue with a passkey" });
    await passkey.waitFor();
    expect(await inspect(page, "desk-sign-in")).toEqual([]);
    await passkey.click();
    await page.getByText("The shop cancelled the payment.").waitFor();

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
    await page.getByRole("button", { name: "Compact" }).press("Enter");
    expect(await page.locator("html").getAttribute("data-density")).toBe("compact");
    expect(await inspect(page, "desk-account")).toEqual([]);
    await page.getByRole("button", { name: "End all others" }).press("Enter");
    await page.getByRole("button", { name: "End all others" }).waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Remove Laptop at work" }).press("Enter");
    await page.getByRole("button", { name: "Remove passkey" }).press("Enter");
    await page.getByText("None yet.").waitFor();
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
    await page.getByRole("link", { name: "1.50 ETH" }).waitFor();
  });
});
