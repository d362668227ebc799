// What does the key check add to a request? The gateway's own authenticator over a real database: with a cached
// key, which is the usual case, and with a key that must be looked up in the database.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, openDatabase } from "@pay/database";
import { type Postgres, startPostgres } from "@pay/embedded";
import { createLifecycle, createLog, systemClock } from "@pay/process";
import { getSchema } from "@pay/standalone";
import { createAuthenticator } from "../services/gateway/src/keys/authenticate.ts";
import { findKeys } from "../services/gateway/src/keys/find-keys.ts";
import { createKeyUses } from "../services/gateway/src/keys/key-uses.ts";
import { newKey } from "../services/gateway/src/keys/new-key.ts";
import { figure } from "./figures.ts";

const PEPPER = { version: 1, secret: "a pepper for benchmarks, 32 characters" };
const KEYS = 10_000;
const CHECKS = 200_000;
const CACHE_MS = 60_000;

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "bench-auth-"));
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  const log = createLog("bench", "error");
  const life = createLifecycle({ service: "bench", log });
  try {
    await measure(postgres, life);
  } finally {
    await life.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  postgres: Postgres,
  life: ReturnType<typeof createLifecycle>,
): Promise<void> {
  const url = await postgres.provide("gateway");
  await migrate({ url, ...getSchema("gateway"), log: life.log });
  const { pool } = openDatabase({ url, poolMax: 5, runtime: life });
  const keys = Array.from({ length: KEYS }, () => newKey({ type: "secret", mode: "live" }, PEPPER));
  await pool.query(
    "insert into projects (id, name, api_version) values ('proj_bench', 'Bench', '2026-11-21')",
  );
  await pool.query(
    `insert into api_keys
        (id, project_id, type, mode, scopes, digest, prefix, last4, pepper_version, created_by)
      select id, 'proj_bench', 'secret', 'live', '{all}', digest, 'sk_live_', last4, 1, 'operator'
      from unnest($1::text[], $2::bytea[], $3::text[]) as k (id, digest, last4)`,
    [keys.map(({ id }) => id), keys.map(({ digest }) => digest), keys.map(({ last4 }) => last4)],
  );
  const { authenticate } = createAuthenticator({
    findKeys: (wanted) => findKeys(pool, wanted),
    uses: createKeyUses(),
    peppers: [PEPPER],
    clock: systemClock,
    cacheMs: CACHE_MS,
    cacheMax: KEYS,
  });
  async function check(text: string): Promise<number> {
    const from = performance.now();
    await authenticate({ "x-secret-key": text }, "secret");
    return performance.now() - from;
  }

  const lookedUp: number[] = [];
  for (const { text } of keys) lookedUp.push(await check(text));
  const remembered: number[] = [];
  for (let n = 0; n < CHECKS; n++) remembered.push(await check(keys[n % 100]?.text ?? ""));

  figure("auth.added_p50_ms", at(remembered, 0.5), "ms");
  figure("auth.added_p99_ms", at(remembered, 0.99), "ms");
  figure("auth.lookup_p50_ms", at(lookedUp, 0.5), "ms");
}

function at(times: number[], share: number): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;
}
