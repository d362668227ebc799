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
import { figure, median } from "./figures.ts";
import { runLoad } from "./load.ts";
import { startPart } from "./parts/child.ts";
import { measurePages } from "./parts/desk-page.ts";
import { startLocalProduct } from "./parts/local-product.ts";
import { CONSTANT_ORDER, fillPayments, getHash, getPayer } from "./parts/payment-rows.ts";
import { type Undo, withUndo } from "./parts/with-undo.ts";
import { makeCreation } from "./requests.ts";

const ROWS = "1000000";
const SEARCHES_MS = 4_000;
const SEARCHES_PER_S = 10;
const DASHBOARD_PROJECTS = 20;
const CREATE_ROUNDS = 7;
const CREATE_MS = 4_000;
const CREATE_CONNECTIONS = 16;
const UNLIMITED = { live: { perSecond: 0 }, routePerSecond: 0, addressPerSecond: 0 };

/** No customer and no such payment was made. */
const FINDS_NOTHING: ReadonlySet<string> = new Set(["name", "nothing"]);

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
      await measurePages(desk, getPayer(desk.ids[0] ?? ""), undo);
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
