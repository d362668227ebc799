// A member of a shop before the dashboard: signed in by the link that the product prints, in a real browser.
import { expect, test } from "@jest/globals";
import { describeWithBrowser, inspect } from "./browser.ts";
import { describeStories } from "./visits.ts";

const PRINTED_LINK = /Dashboard\s+(http:\S+)/;

describeWithBrowser("the dashboard", () => {
  const stories = describeStories();

  test("opens by the printed link, and a payment is found and cancelled there", async () => {
    const order = await stories.shop.create();
    const [, checkoutUrl = ""] = PRINTED_LINK.exec(stories.product.running.output()) ?? [];
    const { page } = await stories.visit({ checkoutUrl });
    await page.getByRole("button", { name: "Sign in" }).click();
    const row = page.getByRole("link", { name: "1.50 ETH" });
    await row.waitFor();
    expect(await inspect(page, "desk-payments")).toEqual([]);

    await row.click();
    await page.getByRole("button", { name: "Cancel payment" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel payment" }).click();
    await page.getByText("The shop cancelled the payment.").waitFor();
    expect(await inspect(page, "desk-payment")).toEqual([]);
    expect(await stories.shop.reaches(order, "expired")).toMatchObject({
      failureCode: "cancelled",
    });
  });
});
