// Does the product stay as fast when it has grown? The same load at 10 thousand payments and at many: creations, reads
// and lists through gateway and payments. Besides: what a payment writes and takes, what the far pages of one merchant
// cost another, and how the outbox drains under a held snapshot. `npm run bench -- growth` ends at a million, which
// takes ten minutes and 3 GB; `npm run bench -- growth 10000000` takes half an hour and 17 GB, most of it to make the
// payments, which a third argument keeps: `npm run bench -- growth 10000000 FOLDER` makes them once and measures them
// as often as wanted.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@pay/database";
import { createLog } from "@pay/process";
import { createProjectByCommand, getSchema } from "@pay/standalone";
import pg from "pg";
import { type BenchProduct, startGatewayAndPayments } from "./bench-product.ts";
import { figure, median } from "./figures.ts";
import { type LoadResult, pooledP99Ms, runLoad } from "./load.ts";
import {
  CONSTANT_ORDER,
  diskMbPerMillion,
  type Filled,
  fillPayments,
  OWN_EVERY,
} from "./parts/payment-rows.ts";
import { walPerPayment } from "./parts/payment-wal.ts";
import { snapshotDrainRatio } from "./parts/snapshot-drain.ts";
import { type Undo, withUndo } from "./parts/with-undo.ts";
import { makeCreation } from "./requests.ts";

const SMALL_ROWS = 10_000;
const LARGE_ROWS = Number(process.argv[3] ?? 1_000_000);
const NAME = LARGE_ROWS % 1_000_000 === 0 ? `${LARGE_ROWS / 1_000_000}m` : `${LARGE_ROWS}`;
const KEPT_FOLDER = process.argv[4];
const ROUNDS = 7;
const DURATION_MS = 4_000;
const SLOWLY = { connections: 8, ratePerS: 50 };
const FAR_PAGES = 25;
const REPEATED = 100;
/** Beyond the numbers of all other creations of a run. */
const REPEATED_FROM = 1_000_000_000;
/** Half way through the payments of the project that is measured, within the pages that are reached by number. */
const FAR_PAGE = Math.min(1_000, Math.ceil(LARGE_ROWS / OWN_EVERY / 200));

export function run(): Promise<void> {
  return withUndo(measure);
}

async function measure(undo: Undo): Promise<void> {
  const small = await startSmall(undo);
  const large = await startLarge(undo);
  await compare(small, large);
  await measureRepeated(large);
  await measureBusyHour(large);
  await measureNeighbour(large);
}

interface Grown extends BenchProduct {
  /** Of payments of its project, spread over all times. */
  ids: readonly string[];
  /** Of another project, whose payments of a whole load lie in one hour. */
  busyKey: string;
}

async function withBusy(product: Omit<Grown, "busyKey">): Promise<Grown> {
  const { secretKey } = await createProjectByCommand("Busy", product.environment);
  return { ...product, busyKey: secretKey };
}

async function startSmall(undo: Undo): Promise<Grown> {
  const folder = await temporaryFolder(undo);
  const product = await startGatewayAndPayments(folder, undo);
  await measureWal(product);
  const ratio = await snapshotDrainRatio(product.postgres, folder);
  figure("growth.snapshot_drain_ratio", ratio, "of the drain without a held snapshot");
  const { projectId } = product;
  const { ids } = await fillPayments(payments(product, undo), { projectId, rows: SMALL_ROWS });
  return withBusy({ ...product, ids });
}

async function startLarge(undo: Undo): Promise<Grown> {
  const folder = KEPT_FOLDER ?? (await temporaryFolder(undo));
  const product = await startGatewayAndPayments(folder, undo);
  const database = payments(product, undo);
  const kept = await filled(product, database, join(folder, "filled.json"));
  figure("growth.disk_mb_per_million", await diskMbPerMillion(database, LARGE_ROWS), "MB");
  return withBusy({ ...product, ...kept });
}

async function temporaryFolder(undo: Undo): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "bench-growth-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function payments({ postgres }: BenchProduct, undo: Undo): pg.Pool {
  const database = new pg.Pool({
    connectionString: postgres.url("payments"),
    max: 4,
    idleTimeoutMillis: 0,
    options: "-c synchronous_commit=off",
  });
  undo.push(() => database.end());
  return database;
}

/** The payments of an earlier run in the same folder with the key of their project, or new ones. */
async function filled(
  { key, projectId }: BenchProduct,
  database: pg.Pool,
  file: string,
): Promise<Filled & { key: string }> {
  const kept = await readFile(file, "utf8").catch(() => undefined);
  if (kept !== undefined) return JSON.parse(kept);
  const { ids } = await fillPayments(database, { projectId, rows: LARGE_ROWS });
  await writeFile(file, JSON.stringify({ key, ids }));
  return { key, ids };
}

async function measureWal({ postgres }: BenchProduct): Promise<void> {
  for (const [length, name] of [
    [1, "growth.wal_bytes_per_payment"],
    [16, "growth.wal_bytes_per_payment_in_lists"],
  ] as const) {
    await postgres.provide("growth_wal");
    const url = postgres.url("growth_wal");
    await migrate({ url, ...getSchema("payments"), log: createLog("bench", "error") });
    figure(name, await walPerPayment(url, length), "bytes");
  }
}

const LISTS = ["limit=20", "limit=20&status=expired", "limit=20&page=40"];

const LOADS = [
  {
    name: "create_ratio",
    connections: 32,
    status: 201,
    // Not in the project whose lists are measured: no life has so many payments in an hour and so few in all others.
    request: ({ busyKey: key, chainId }: Grown) => create({ key, chainId }),
    computeResult: (rounds: LoadResult[]) => median(rounds.map(({ perS }) => perS)),
  },
  {
    name: "read_p99_ratio",
    ...SLOWLY,
    status: 200,
    request: ({ key, ids }: Grown, n: number) =>
      get(key, `/v1/payments/${ids[(n * 7) % ids.length]}`),
    computeResult: pooledP99Ms,
  },
  {
    name: "list_p99_ratio",
    ...SLOWLY,
    status: 200,
    request: ({ key }: Grown, n: number) => get(key, `/v1/payments?${LISTS[n % LISTS.length]}`),
    computeResult: pooledP99Ms,
  },
];

/** By turns: a machine that others use, too, changes its speed within minutes. */
async function compare(small: Grown, large: Grown): Promise<void> {
  for (const { name, status, request, computeResult, ...rate } of LOADS) {
    const sides = [small, large].map((product) => ({
      load: { ...rate, port: product.port, request: (n: number) => request(product, n) },
      results: [] as LoadResult[],
    }));
    for (const { load } of sides) await runLoad({ ...load, durationMs: DURATION_MS / 2 });
    for (let round = 0; round < ROUNDS; round++) {
      for (const { load, results } of round % 2 === 0 ? sides : sides.toReversed()) {
        results.push(answered(await runLoad({ ...load, durationMs: DURATION_MS }), status));
      }
    }
    const [before = 0, after = 0] = sides.map(({ results }) => computeResult(results));
    figure(`growth.${name}_${NAME}`, after / before, "x");
  }
}

/** Creations that are sent again under their keys: each finds its payment among all others. */
async function measureRepeated({ port, busyKey: key, chainId }: Grown): Promise<void> {
  const load = {
    port,
    ...SLOWLY,
    durationMs: DURATION_MS,
    request: (n: number) => makeCreation({ key, chainId }, REPEATED_FROM + (n % REPEATED)),
  };
  await runLoad(load);
  figure("growth.repeated_ms", answered(await runLoad(load), 201).p50Ms, "ms");
}

/** Pages of a merchant who has had all these creations within the hour: a near one, and one in the middle of them. */
async function measureBusyHour({ port, busyKey }: Grown): Promise<void> {
  const middle = Math.min(1_000, Math.ceil(creations / 4 / 100));
  for (const [name, page] of [
    ["near", "limit=20&page=40"],
    ["middle", `limit=100&page=${middle}`],
  ]) {
    const result = await runLoad({
      port,
      connections: 2,
      ratePerS: 5,
      durationMs: DURATION_MS,
      request: () => get(busyKey, `/v1/payments?${page}`),
    });
    figure(`growth.busy_hour_${name}_p50_ms`, answered(result, 200).p50Ms, "ms");
  }
}

function answered(result: LoadResult, status: number): LoadResult {
  if (result.statuses.size === 1 && result.statuses.has(status)) return result;
  throw new Error(`${JSON.stringify([...result.statuses])} instead of ${status} only`);
}

/** The creations of another merchant alone, and beside far pages and a list of one constant order. */
async function measureNeighbour(product: Grown): Promise<void> {
  const { secretKey: key } = await createProjectByCommand("Neighbour", product.environment);
  const neighbour = {
    port: product.port,
    connections: 4,
    ratePerS: 20,
    durationMs: DURATION_MS,
    request: () => create({ ...product, key }),
  };
  const ratios: number[] = [];
  const farPerS: number[] = [];
  const listMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await runLoad(neighbour);
    const [beside, far] = await Promise.all([
      runLoad(neighbour),
      runLoad({
        port: product.port,
        connections: FAR_PAGES,
        durationMs: DURATION_MS,
        request: () => get(product.key, `/v1/payments?page=${FAR_PAGE}&limit=100`),
      }),
    ]);
    ratios.push(answered(beside, 201).p50Ms / answered(alone, 201).p50Ms);
    farPerS.push(answered(far, 200).perS);
    const constant = await runLoad({
      port: product.port,
      connections: 1,
      durationMs: DURATION_MS / 2,
      request: () => get(product.key, `/v1/payments?orderId=${CONSTANT_ORDER}`),
    });
    if (!constant.statuses.has(200)) throw new Error("a list of one order was not answered");
    listMs.push(constant.p50Ms);
  }
  figure("growth.neighbour_p50_ratio", median(ratios), "x");
  figure("growth.far_pages_per_s", median(farPerS), "pages/s");
  figure("growth.constant_order_p50_ms", median(listMs), "ms");
}

let creations = 0;

function create(project: { key: string; chainId: number }): string {
  return makeCreation(project, creations++);
}

function get(key: string, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Secret-Key: ${key}\r\n\r\n`;
}
