// Do reads stay fast when a project grows large? One project with a million payments among five million rows of
// many projects; single reads and lists at 200 requests per second through gateway and payments. Afterwards the
// statistics of the database must show no full scan of the table of payments.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type BenchProduct, startGatewayAndPayments } from "./bench-product.ts";
import { figure, median } from "./figures.ts";
import { runLoad } from "./load.ts";
import { withUndo } from "./parts/with-undo.ts";

const OWN_ROWS = 1_000_000;
const OTHER_ROWS = 4_000_000;
const OTHER_PROJECTS = 400;
/** Some payments are on a chain the project hardly uses. */
const RARE_EVERY = 50_000;
const RARE_CHAIN = 10;
const RATE_PER_S = 200;
const CONNECTIONS = 8;
const DURATION_MS = 10_000;
const WARM_UP_MS = 3_000;
const ROUNDS = 3;

export async function run(): Promise<void> {
  await withUndo(async (undo) => {
    const folder = await mkdtemp(join(tmpdir(), "bench-read-"));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const product = await startGatewayAndPayments(folder, undo);
    const database = new pg.Pool({
      connectionString: product.postgres.url("payments"),
      max: 1,
      idleTimeoutMillis: 0,
    });
    undo.push(() => database.end());
    await fill(database, product.projectId);
    await measure(product, database);
  });
}

const STATUSES = ["created", "expired", "expired", "expired", "failed"];

/** Inserts rows as the service writes them, without its calls; the triggers keep the totals. */
async function fill(database: pg.Pool, projectId: string): Promise<void> {
  await database.query("set synchronous_commit = off");
  function rows(project: string, from: number, to: number) {
    return database.query(
      `insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals,
          currency, chain_id, recipient_address, qr_mode, secret_version, expires_at, created_at)
        select 'pay_' || lpad(n::text, 24, '0'), ${project}, 1, 1, ($1::text[])[1 + n % 5], '1.5',
          1500000000000000000, 18, 'native', case when n % ${RARE_EVERY} = 0 then ${RARE_CHAIN} else 31337 end, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
          false, 1, now() + interval '1 day', now() - n * interval '1 second'
        from generate_series(${from}, ${to}) as n`,
      [STATUSES],
    );
  }

  const step = 250_000;
  for (let from = 0; from < OTHER_ROWS; from += step) {
    await rows(
      `'proj_other' || lpad((n % ${OTHER_PROJECTS})::text, 19, '0')`,
      OWN_ROWS + from,
      OWN_ROWS + from + step - 1,
    );
  }
  for (let from = 0; from < OWN_ROWS; from += step) {
    await rows(`'${projectId}'`, from, from + step - 1);
  }
  await database.query("vacuum (analyze) payments");
  await database.query("vacuum (analyze) payment_totals");
  await database.query("vacuum (analyze) payment_counts");
  // Otherwise the database would write the inserted rows to disk while reads are measured.
  await database.query("checkpoint");
}

function getId(n: number) {
  return `pay_${String(n).padStart(24, "0")}`;
}

function anyId() {
  return getId(Math.floor(Math.random() * OWN_ROWS));
}

/** Up to a day after so many days ago; the rows lie one second apart. */
function anyTime(daysAgo: number) {
  return new Date(Date.now() - (daysAgo - Math.random()) * 86_400_000).toISOString();
}

const PATHS = {
  get: () => `/v1/payments/${anyId()}`,
  list: () => "/v1/payments?limit=20",
  list_status: () => "/v1/payments?limit=20&status=created",
  list_chain: () => `/v1/payments?limit=20&chainId=${RARE_CHAIN}`,
  list_time: () => `/v1/payments?limit=20&createdFrom=${anyTime(7)}&createdTo=${anyTime(1)}`,
  list_after: () => `/v1/payments?limit=20&after=${anyId()}`,
};

async function measure(product: BenchProduct, database: pg.Pool): Promise<void> {
  const before = await sequentialScans(database);
  for (const [name, path] of Object.entries(PATHS)) {
    function load(durationMs: number) {
      return runLoad({
        port: product.port,
        connections: CONNECTIONS,
        ratePerS: RATE_PER_S,
        durationMs,
        request: () =>
          `GET ${path()} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Secret-Key: ${product.key}\r\n\r\n`,
      });
    }

    await load(WARM_UP_MS);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await load(DURATION_MS));
    for (const { statuses } of rounds) {
      if (statuses.size !== 1 || !statuses.has(200)) {
        throw new Error(`${name}: ${JSON.stringify([...statuses])} instead of 200 only`);
      }
    }
    figure(`read.${name}_p50_ms`, median(rounds.map(({ p50Ms }) => p50Ms)), "ms");
    figure(`read.${name}_p99_ms`, median(rounds.map(({ p99Ms }) => p99Ms)), "ms");
  }
  const scans = (await sequentialScans(database)) - before;
  figure("read.sequential_scans", scans, "scans");
  if (scans > 0) throw new Error("a read scanned the whole table of payments");
}

async function sequentialScans(database: pg.Pool): Promise<number> {
  // Other connections report their counters when they are idle; a second query would read the same snapshot.
  await database.query("select pg_stat_clear_snapshot()");
  const { rows } = await database.query(
    "select seq_scan::int as n from pg_stat_user_tables where relname like 'payments\\_%'",
  );
  return rows[0].n;
}
