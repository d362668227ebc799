// What people of a shop do with its design and its settings in the dashboard.
import { expect } from "@jest/globals";
import { startReceiver } from "@pay/testing";
import type { FrameLocator, Page } from "playwright-core";
import { inspect } from "./browser.ts";
import { callAsShop } from "./desk-money.ts";
import type { PageWallet } from "./page-wallet.ts";
import type { Stories } from "./visits.ts";

const COLOR = "#1D3B34";
/** An image of 64 × 64 pixels begins so. */
const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000040000000400802000000", "hex");

function readAccent(shown: FrameLocator): Promise<string> {
  return shown.locator("html").evaluate((page) => page.style.getPropertyValue("--accent"));
}

/** What looks like a design and is none, or comes from elsewhere than the dashboard. */
async function sendOthers(page: Page, shown: FrameLocator): Promise<void> {
  const design = {
    state: "paid",
    shop: {
      displayName: "Mallory",
      primaryColor: null,
      theme: null,
      supportUrl: null,
      logoUrl: null,
    },
  };
  await shown.locator("html").evaluate((_, data) => window.postMessage(data, "*"), design);
  const wrong = [
    "paid",
    null,
    { ...design, state: "toString" },
    { ...design, shop: { ...design.shop, logoUrl: "https://elsewhere.example/logo" } },
    { ...design, shop: { ...design.shop, supportUrl: "javascript:0" } },
  ];
  await page.locator("iframe").evaluate((frame, all) => {
    const { contentWindow } = frame as HTMLIFrameElement;
    for (const data of all) contentWindow?.postMessage(data, "*");
  }, wrong);
}

/** The preview has the unsaved design, and nothing on it can be used. */
async function tryDesign(page: Page, wallet: PageWallet): Promise<void> {
  const preview = page.getByRole("region", { name: "Preview" });
  const shown = page.frameLocator("iframe");
  await shown.getByText("24", { exact: true }).waitFor();
  await page.getByLabel("Shop name").fill("Nordlys Coffee");
  await page.getByLabel("Colour", { exact: true }).fill(COLOR);
  await page.getByText("White text on it is easy to read (12.2 : 1)").waitFor();
  await page.getByText("Too close to the dark page").waitFor();
  await shown.getByText("Sold by Nordlys Coffee").waitFor();
  expect(await readAccent(shown)).toBe(COLOR);
  const asked = wallet.asked.length;
  await shown.getByText("Test wallet").click({ force: true });
  await sendOthers(page, shown);
  await preview.getByRole("button", { name: "Part paid" }).press("Enter");
  await shown.getByText("16 USDC arrived. 8 USDC to go.").waitFor();
  await preview.getByRole("button", { name: "Paid", exact: true }).press("Enter");
  await shown.getByText("Nordlys Coffee has received your payment of 24 USDC.").waitFor();
  await preview.getByRole("button", { name: "Dark" }).press("Enter");
  await shown.locator("html[data-theme=dark]").waitFor();
  expect(await readAccent(shown)).toBe("");
  await preview.getByRole("button", { name: "Expired" }).press("Enter");
  await shown.getByText("The time to pay is over").waitFor();
  await preview.getByRole("button", { name: "Desktop" }).press("Enter");
  expect(await inspect(page, "desk-branding-desktop")).toEqual([]);
  await preview.getByRole("button", { name: "Phone" }).press("Enter");
  await preview.getByRole("button", { name: "Light" }).press("Enter");
  await preview.getByRole("button", { name: "Ready" }).press("Enter");
  await shown.getByText("Pay with a wallet").waitFor();
  expect(await shown.getByText("Mallory").count()).toBe(0);
  expect(wallet.asked.slice(asked)).toEqual([]);
}

/** Errors stand at their field, what is not saved is not lost, and the saved logo is in the preview. */
export async function brandShop(page: Page, stories: Stories, wallet: PageWallet): Promise<void> {
  await page.getByRole("link", { name: "Branding" }).first().press("Enter");
  await tryDesign(page, wallet);
  await page.getByRole("link", { name: "Members" }).first().press("Enter");
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Close" }).last().press("Enter");
  await question.waitFor({ state: "detached" });
  const cdn = await startReceiver({ plain: true });
  try {
    cdn.respondWith({ status: 200, body: "no image", headers: { "content-type": "image/png" } });
    const logoUrl = `${cdn.url}/logo`;
    await page.getByLabel("Logo").fill(logoUrl);
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await page.getByText("Logo must lead to a PNG, JPEG or WebP image").waitFor();
    expect(await inspect(page, "desk-branding")).toEqual([]);
    cdn.respondWith({ status: 200, body: PNG, headers: { "content-type": "image/png" } });
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await page.frameLocator("iframe").locator("img.logo").waitFor({ state: "attached" });
    const { brandingConfig } = await callAsShop(stories, "GET", "/v1/projects/me");
    expect(brandingConfig).toEqual({
      displayName: "Nordlys Coffee",
      primaryColor: COLOR,
      logoUrl,
    });
  } finally {
    await cdn.stop();
  }
}

/** Each group by itself; what a colleague saves meanwhile stays. */
export async function changeSettings(page: Page, stories: Stories): Promise<void> {
  const address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
  const { chainId } = stories.product.credentials;
  await page.getByRole("link", { name: "Settings" }).first().press("Enter");
  const wallets = page.getByRole("region", { name: "Default wallets" });
  await wallets.getByRole("textbox").first().fill(address);
  await wallets.getByRole("button", { name: "Save" }).press("Enter");
  await wallets.getByText("Saved").waitFor();
  const origins = page.getByRole("region", { name: "Allowed origins" });
  await origins.getByLabel("Origins").fill("https://shop.example\nshop");
  await origins.getByRole("button", { name: "Save" }).press("Enter");
  await origins.getByText("Origins, line 2, must be an origin").waitFor();
  const notices = page.getByRole("region", { name: "Notices" });
  await notices.getByLabel("Told").fill("stranger@shop.example part");
  await notices.getByRole("button", { name: "Save" }).press("Enter");
  await notices.getByText("must have e-mail addresses of members").waitFor();
  await notices.getByLabel("Told").fill("https://hooks.example.com/told refund_signature, part");
  await notices.getByRole("button", { name: "Save" }).press("Enter");
  await notices.getByText("Saved").waitFor();
  const screening = page.getByRole("region", { name: "Screening" });
  await screening.getByLabel("URL of your server").fill("http://shop.example/screen/k3y");
  await screening.getByRole("button", { name: "Save" }).press("Enter");
  await screening.getByText("URL of your server must use https").waitFor();
  await screening.getByLabel("URL of your server").fill("https://shop.example/screen/k3y");
  await screening.getByRole("button", { name: "Save" }).press("Enter");
  await screening.getByText("Saved").waitFor();
  const signIn = page.getByRole("region", { name: "Sign-in of customers" });
  await signIn.getByLabel("Issuer").fill("https://login.shop.example");
  await signIn.getByRole("button", { name: "Save" }).press("Enter");
  await signIn.getByRole("alert").waitFor();
  expect(await inspect(page, "desk-settings")).toEqual([]);
  await signIn.getByLabel("Audience").fill("mug-shop");
  await signIn.getByRole("button", { name: "Save" }).press("Enter");
  await signIn.getByText("Saved").waitFor();
  const others = ["https://other.example"];
  await callAsShop(stories, "PUT", "/v1/projects/me", { allowedOrigins: others });
  await origins.getByLabel("Origins").fill("https://shop.example");
  await origins.getByRole("button", { name: "Save" }).press("Enter");
  await origins.getByText("Saved").waitFor();
  const shown = "?expand=wallets,notices,screening,sso";
  expect(await callAsShop(stories, "GET", `/v1/projects/me${shown}`)).toMatchObject({
    allowedOrigins: [...others, "https://shop.example"],
    wallets: [{ chainId, address }],
    notices: [
      { url: "https://hooks.example.com/told", email: null, kinds: ["refund_signature", "part"] },
    ],
    screening: { url: "https://shop.example/screen/k3y", onFail: "review" },
    sso: { issuer: "https://login.shop.example", audience: "mug-shop" },
  });
  // Nobody answers there, and later stories are paid.
  await callAsShop(stories, "PUT", "/v1/projects/me", { screening: null });
}
