// The dashboard in a real Chromium: what is sent for its pages, how they feel on a phone, and when the first row of a
// list is there. A plain page, measured in turn, says what of it is the machine's.
import { startBrowser } from "../../e2e/web/chromium.ts";
import { FAST_4G, type Feel, measureFeel, withPlainPage } from "../../e2e/web/feel.ts";
import { figure, median } from "../figures.ts";
import type { Undo } from "./with-undo.ts";

const LOADS = 7;

type Browser = Awaited<ReturnType<typeof startBrowser>>;
type Context = Awaited<ReturnType<Browser["newContext"]>>;
type State = Awaited<ReturnType<Context["storageState"]>>;

interface Dashboard {
  url: string;
  /** Signs the owner of the shop in. */
  dashboardLink: string;
}

/** `payer` is a wallet that paid something. */
export async function measurePages(dashboard: Dashboard, payer: string, undo: Undo): Promise<void> {
  const browser = await startBrowser();
  undo.push(() => browser.close());
  const state = await signIn(browser, dashboard);
  await measureFirstPages(browser, dashboard, state);
  await measureFirstRows(browser, dashboard, { state, payer });
}

async function signIn(browser: Browser, { dashboardLink, url }: Dashboard): Promise<State> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(dashboardLink);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${url}/**`);
  const state = await context.storageState();
  await context.close();
  return state;
}

const ROW = 'tbody a[href*="/payments/pay_"]';

async function measureFirstPages(
  browser: Browser,
  { url }: Dashboard,
  state: State,
): Promise<void> {
  const plain: Feel[] = [];
  const signInPage: Feel[] = [];
  const list: Feel[] = [];
  await withPlainPage(browser, async ({ feel }) => {
    for (let load = 0; load < LOADS; load++) {
      plain.push(await feel());
      signInPage.push(
        await measureFeel(browser, `${url}/sign-in`, (page) => page.locator("h1").waitFor(), {
          network: FAST_4G,
        }),
      );
      list.push(
        await measureFeel(
          browser,
          `${url}/payments`,
          (page) => page.locator(ROW).first().waitFor(),
          { network: FAST_4G, storageState: state },
        ),
      );
    }
  });
  for (const [name, feels] of Object.entries({ plain, sign_in: signInPage, payments: list })) {
    const of = (read: (feel: Feel) => number) => median(feels.map(read));
    figure(`desk.${name}_kb`, of(({ bytes }) => bytes) / 1_024, "kB as sent");
    figure(
      `desk.${name}_lcp_ms`,
      of(({ lcpMs }) => lcpMs),
      "ms",
    );
    figure(`desk.${name}_shift`, Math.max(...feels.map(({ shift }) => shift)), "");
  }
}

const LISTS = {
  newest: "",
  expired: "?status=expired",
  of_a_wallet: (payer: string) => `?payerAddress=${payer}`,
  of_an_amount: "?amountFrom=1.4&amountTo=1.6&currency=native",
};

/** Runs in the page: when the first row was shown, from the request for the page. */
const WATCH_ROWS = `
new MutationObserver((_, observer) => {
  if (document.querySelector('${ROW}') === null) return;
  observer.disconnect();
  requestAnimationFrame(() => { globalThis.firstRowMs = performance.now(); });
}).observe(document, { childList: true, subtree: true });
`;

const SHOWN =
  "new Promise((resolve) => requestAnimationFrame(() => resolve(globalThis.firstRowMs)))";

/** Opened anew in a browser that has the files, as a colleague's link is. */
async function measureFirstRows(
  browser: Browser,
  { url }: Dashboard,
  { state, payer }: { state: State; payer: string },
): Promise<void> {
  const context = await browser.newContext({ storageState: state });
  await context.addInitScript(WATCH_ROWS);
  const page = await context.newPage();
  for (const [name, list] of Object.entries(LISTS)) {
    const query = typeof list === "string" ? list : list(payer);
    const times: number[] = [];
    for (let load = 0; load <= LOADS; load++) {
      await page.goto(`${url}/payments${query}`);
      await page.locator(ROW).first().waitFor();
      times.push((await page.evaluate(SHOWN)) as number);
    }
    figure(`desk.first_row_${name}_ms`, median(times.slice(1)), "ms");
  }
  await context.close();
}
