// What the people of a shop wait for in the dashboard, with a million payments of 401 projects in analysed tables: the
// sign-in page and the first page as Chromium meets them on a phone with a quarter of this CPU and fast 4G, the first
// row of a list, and a search. And what creations notice of 200 open dashboards. `--rows N` makes another number of
// payments; `--creations` measures these only.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createProjectByCommand, type NewProject } from "@pay/standalone";
import pg from "pg";
import { startBrowser } from "../e2e/web/chromium.ts";
import { FAST_4G, type Feel, measureFeel, withPlainPage } from "../e2e/web/feel.ts";
import { figure, median } from "./figures.ts";
import { runLoad } from "./load.ts";
import { startPart } from "./parts/child.ts";
import { startLocalProduct } from "./parts/local-product.ts";
import { CONSTANT_ORDER, fillPayments, getHash, getPayer } from "./parts/payment-rows.ts";
import { type Undo, withUndo } from "./parts/with-undo.ts";
import { makeCreation } from "./requests.ts";

const ROWS = "1000000";
const LOADS = 7;
const SEARCHES_MS = 4_000;
const SEARCHES_PER_S = 10;
const DASHBOARD_PROJECTS = 20;
const CREATE_ROUNDS = 7;
const CREATE_MS = 4_000;
const CREATE_CONNECTIONS = 16;
const UNLIMITED = { live: { perSecond: 0 }, routePerSecond: 0, addressPerSecond: 0 };

/** No customer and no such payment was made. */
const FINDS_NOTHING: ReadonlySet<string> = new Set(["name", "nothing"]);

type Browser = Awaited<ReturnType<typeof startBrowser>>;
type Context = Awaited<ReturnType<Browser["newContext"]>>;
type State = Awaited<ReturnType<Context["storageState"]>>;

interface Desk {
  port: number;
  url: string;
  /** Signs the owner of the shop in. */
  dashboardLink: string;
  shop: NewProject;
  chainId: number;
  /** Of payments of the shop, spread over a year. */
  ids: readonly string[];
  folder: string;
}

export async function run(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      rows: { type: "string", default: ROWS },
      creations: { type: "boolean", default: false },
    },
  });
  await withUndo(async (undo) => {
    const desk = await startDesk(Number(values.rows), undo);
    if (!values.creations) {
      await measureSearch(desk);
      const browser = await startBrowser();
      undo.push(() => browser.close());
      const state = await signIn(browser, desk);
      await measureFirstPages(browser, desk, state);
      await measureFirstRows(browser, desk, state);
    }
    await measureCreations(desk, undo);
  });
}

async function startDesk(rows: number, undo: Undo): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), "bench-desk-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const { port, dashboardLink } = await startLocalProduct(folder, undo, {
    LOG_LEVEL: "fatal",
    RATE_LIMITS: JSON.stringify(UNLIMITED),
  });
  const shop = await readFileIn<NewProject>(folder, "credentials.json");
  const { chainId, databaseUrls } = await readFileIn<RunFile>(folder, "run.json");
  const database = new pg.Pool({
    connectionString: await asSuperuser(folder, databaseUrls.payments),
    max: 4,
  });
  try {
    const { ids } = await fillPayments(database, { projectId: shop.projectId, rows });
    const url = `http://localhost:${port}/dashboard`;
    return { port, url, dashboardLink, shop, chainId, ids, folder };
  } finally {
    await database.end();
  }
}

function createProject(folder: string): Promise<NewProject> {
  const { PATH } = process.env;
  return createProjectByCommand("Bench", { PATH, DATA_DIR: folder });
}

/** Who may keep checkpoints away while the rows are made. */
async function asSuperuser(folder: string, url: string): Promise<string> {
  const named = new URL(url);
  named.username = "postgres";
  named.password = await readFile(join(folder, "postgres/superuser-password"), "utf8");
  return named.href;
}

interface RunFile {
  chainId: number;
  databaseUrls: { payments: string };
}

async function readFileIn<A>(folder: string, name: string): Promise<A> {
  return JSON.parse(await readFile(join(folder, name), "utf8")) as A;
}

/** What a support person pastes. Each is asked for with the same rate. */
async function measureSearch({ port, shop, ids }: Desk): Promise<void> {
  const id = ids[Math.floor(ids.length / 2)] ?? "";
  const sought = {
    payment: id,
    hash: getHash(id),
    wallet: getPayer(id),
    order: "order-5",
    order_of_half_of_all: CONSTANT_ORDER,
    name: "Ane",
    nothing: `pay_${"A".repeat(24)}`,
  };
  for (const [name, q] of Object.entries(sought)) {
    const path = `/v1/search?q=${encodeURIComponent(q)}`;
    const { p50Ms, p99Ms, statuses } = await runLoad({
      port,
      connections: 2,
      ratePerS: SEARCHES_PER_S,
      durationMs: SEARCHES_MS,
      request: () => request(shop, path),
    });
    if ([...statuses.keys()].join() !== "200")
      throw new Error(`a search for ${name} got ${JSON.stringify([...statuses])}`);
    const found = await search(port, shop, path);
    if (found.incomplete.length > 0)
      throw new Error(`a search for ${name} left out ${found.incomplete}`);
    if ((found.data.length === 0) !== FINDS_NOTHING.has(name))
      throw new Error(`a search for ${name} found ${found.data.length}`);
    figure(`desk.search_${name}_p50_ms`, p50Ms, "ms");
    figure(`desk.search_${name}_p99_ms`, p99Ms, "ms");
  }
}

function request({ secretKey }: NewProject, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Secret-Key: ${secretKey}\r\n\r\n`;
}

interface Found {
  data: object[];
  /** Kinds that were not searched to the end. */
  incomplete: string[];
}

async function search(port: number, { secretKey }: NewProject, path: string): Promise<Found> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { "X-Secret-Key": secretKey },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return (await answer.json()) as Found;
}

async function signIn(browser: Browser, { dashboardLink, url }: Desk): Promise<State> {
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

async function measureFirstPages(browser: Browser, { url }: Desk, state: State): Promise<void> {
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
async function measureFirstRows(browser: Browser, desk: Desk, state: State): Promise<void> {
  const payer = getPayer(desk.ids[0] ?? "");
  const context = await browser.newContext({ storageState: state });
  await context.addInitScript(WATCH_ROWS);
  const page = await context.newPage();
  for (const [name, list] of Object.entries(LISTS)) {
    const query = typeof list === "string" ? list : list(payer);
    const times: number[] = [];
    for (let load = 0; load <= LOADS; load++) {
      await page.goto(`${desk.url}/payments${query}`);
      await page.locator(ROW).first().waitFor();
      times.push((await page.evaluate(SHOWN)) as number);
    }
    figure(`desk.first_row_${name}_ms`, median(times.slice(1)), "ms");
  }
  await context.close();
}

/** Round by round without dashboards and with them, so that a slow period affects both sides of a round. */
async function measureCreations({ port, chainId, folder }: Desk, undo: Undo): Promise<void> {
  const projects: NewProject[] = [];
  while (projects.length < DASHBOARD_PROJECTS) projects.push(await createProject(folder));
  const keys = projects.map(({ secretKey }) => secretKey);
  const dashboards = startPart(join(import.meta.dirname, "parts/open-dashboards.ts"));
  undo.push(dashboards.stop);
  let sent = 0;
  async function create(): Promise<number> {
    const { perS, statuses } = await runLoad({
      port,
      connections: CREATE_CONNECTIONS,
      durationMs: CREATE_MS,
      request: (n) => makeCreation({ key: keys[n % keys.length] ?? "", chainId }, sent++),
    });
    if ([...statuses.keys()].join() !== "201")
      throw new Error(`creations got ${JSON.stringify([...statuses])}`);
    return perS;
  }

  await create();
  const ratios: number[] = [];
  for (let round = 0; round < CREATE_ROUNDS; round++) {
    const alone = await create();
    await dashboards.ask({ port, keys });
    const beside = await create();
    await dashboards.ask({ port, keys: [] });
    ratios.push(beside / alone);
  }
  figure("desk.creations_beside_dashboards", median(ratios), "x, 200 open dashboards by none");
}
