// Do merchants notice a migration of a large table? A million payments lie in the schema of the version before; the
// migrations of this version run while payments are created at a fixed rate, with the statement of that version.
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { findMigrationFiles, migrate } from "@pay/database";
import { startPostgres } from "@pay/embedded";
import { createLog } from "@pay/process";
import { newId } from "@pay/values";
import pg from "pg";
import { figure } from "./figures.ts";
import { watchWaits } from "./parts/waits.ts";
import { withUndo } from "./parts/with-undo.ts";

const SERVICE = join(import.meta.dirname, "..", "services", "payments");
/** The first migration of this version. */
const FIRST_NEW = "20261125";
const ROWS = 1_000_000;
const RATE_PER_S = 200;
/** The same load without a migration: what is as slow there is the machine's. */
const HEALTHY_MS = 30_000;
const LATE_MS = 250;
const WRITER = "writer";
const PROJECT = newId("proj");

const FILL = `
  insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, secret_version, expires_at, created_at, order_id)
  select 'pay_' || lpad(n::text, 24, '0'), 'proj_' || n % 100, 1, 1, 'expired', '1.5', 1500000, 6, 'USDC', 1,
    '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', false, 1, at + interval '1 hour', at, 'order ' || n
  from (select n, now() - n * interval '1 second' as at from generate_series(1, ${ROWS}) as n) as made`;

const CREATE = `
  insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, secret_version, expires_at, created_at)
  values ($1, $2, 1, 1, 'created', '1.5', 1500000, 6, 'USDC', 1,
    '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', false, 1, now() + interval '1 hour', now())`;

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "bench-upgrade-"));
  await withUndo(async (undo) => {
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
    undo.push(() => postgres.stop());
    const url = await postgres.provide("payments");
    const steps: Step[] = [];
    const log = createLog("bench", "info", {
      write: (line: string) => {
        const { migration } = JSON.parse(line) as { migration?: string };
        if (migration !== undefined) steps.push({ migration, begunMs: performance.now() });
      },
    });
    await migrate({ url, ...findMigrationFiles(await schemaBefore(folder)), log });
    await fill(postgres.url("payments"));
    const pool = new pg.Pool({
      connectionString: url,
      max: 20,
      lock_timeout: 3_000,
      application_name: WRITER,
    });
    // The server may end a connection that is already on its way to its end.
    pool.on("error", () => {});
    undo.push(() => pool.end());

    const healthy = startWrites(pool);
    await new Promise((resolve) => setTimeout(resolve, HEALTHY_MS));
    print("upgrade.healthy", await healthy.stop());

    const waits = await watchWaits(postgres.url("payments"), WRITER);
    const writes = startWrites(pool);
    const begun = performance.now();
    await migrate({ url, ...findMigrationFiles(SERVICE), log });
    figure("upgrade.seconds", (performance.now() - begun) / 1_000, "s");
    const written = await writes.stop();
    await waits.stop();
    print("upgrade", written);
    const step = steps.findLast(({ begunMs }) => begunMs <= written.slowestEndMs);
    process.stdout.write(`the slowest write ended during ${step?.migration}\n`);
  });
}

function print(name: string, { sent, failed, late, slowestMs, stallMs }: Written): void {
  figure(`${name}.writes`, sent, "writes");
  figure(`${name}.failed`, failed, "writes");
  figure(`${name}.late`, late, `writes over ${LATE_MS} ms`);
  figure(`${name}.slowest_ms`, slowestMs, "ms");
  figure(`${name}.stall_ms`, stallMs, "ms in which this process itself stood still");
}

/** A copy of the service's schema with the migrations of the version before. */
async function schemaBefore(folder: string): Promise<string> {
  const before = join(folder, "before");
  await cp(join(SERVICE, "prisma"), join(before, "prisma"), { recursive: true });
  const migrations = join(before, "prisma", "migrations");
  for (const name of await readdir(migrations)) {
    if (name >= FIRST_NEW) await rm(join(migrations, name), { recursive: true });
  }
  return before;
}

/** Without triggers, which would count every row. */
async function fill(superuserUrl: string): Promise<void> {
  const client = new pg.Client(superuserUrl);
  await client.connect();
  try {
    await client.query("set session_replication_role = replica");
    await client.query(FILL);
    await client.query("vacuum analyze payments");
  } finally {
    await client.end();
  }
}

interface Step {
  migration: string;
  begunMs: number;
}

interface Written {
  sent: number;
  failed: number;
  late: number;
  /** Of this process, which a busy machine does not let run: a part of the slowest may be this. */
  stallMs: number;
  slowestMs: number;
  slowestEndMs: number;
}

function startWrites(pool: pg.Pool): { stop(): Promise<Written> } {
  const writes: Promise<void>[] = [];
  const written: Written = {
    sent: 0,
    failed: 0,
    late: 0,
    stallMs: 0,
    slowestMs: 0,
    slowestEndMs: 0,
  };
  const begun = performance.now();
  const stalls = monitorEventLoopDelay({ resolution: 5 });
  stalls.enable();

  async function write(due: number) {
    try {
      await pool.query(CREATE, [newId("pay"), PROJECT]);
    } catch {
      written.failed++;
    }
    const endMs = performance.now();
    if (endMs - due > LATE_MS) written.late++;
    if (endMs - due <= written.slowestMs) return;
    written.slowestMs = endMs - due;
    written.slowestEndMs = endMs;
  }

  function writeDue() {
    for (;;) {
      const due = begun + (written.sent * 1_000) / RATE_PER_S;
      if (due > performance.now()) return;
      written.sent++;
      writes.push(write(due));
    }
  }

  const timer = setInterval(writeDue, 5);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(writes);
      stalls.disable();
      written.stallMs = stalls.max / 1e6;
      return written;
    },
  };
}
