// A member of a shop before the dashboard: signed in by the link that the product prints, in a real browser.
import { expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { describeWithBrowser, inspect } from "./browser.ts";
import { describeStories } from "./visits.ts";

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

/** Asks for a challenge, has the device answer it, and sends the answer. The status. */
function usePasskey(page: Page, path: string, kind: "create" | "get"): Promise<number> {
  return page.evaluate(
    async ([to, how]) => {
      const session = await (await fetch("/dashboard/session")).json();
      async function post(address: string, body: unknown) {
        const headers = {
          "Content-Type": "application/json",
          "X-CSRF-Token": session.csrfToken ?? "",
        };
        return fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
      }

      const options = await (await post(`${to}/options`, {})).json();
      const credential =
        how === "create"
          ? await navigator.credentials.create({
              publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
            })
          : await navigator.credentials.get({
              publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
            });
      return (await post(to, (credential as PublicKeyCredential).toJSON())).status;
    },
    [path, kind] as const,
  );
}

describeWithBrowser("the dashboard", () => {
  const stories = describeStories();

  test("opens by the printed link or a passkey, and a payment is found and cancelled there", async () => {
    const order = await stories.shop.create();
    const [, checkoutUrl = ""] = PRINTED_LINK.exec(stories.product.running.output()) ?? [];
    const { page } = await stories.visit({ checkoutUrl }, { expected: /status of 401/ });
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

    await addDevice(page);
    expect(await usePasskey(page, "/dashboard/passkeys", "create")).toBe(204);
    expect(await usePasskey(page, "/dashboard/confirm", "get")).toBe(204);
    await page.context().clearCookies();
    await page.reload();
    const passkey = page.getByRole("button", { name: "Continue with a passkey" });
    await passkey.waitFor();
    expect(await inspect(page, "desk-sign-in")).toEqual([]);
    await passkey.click();
    await page.getByText("The shop cancelled the payment.").waitFor();
  });
});
