// What the benches of chains share: a database as the service makes it, the service in this process, and payments as
// events.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { chainsConfig, startChains } from "@pay/chains";
import { findMigrationFiles, migrate, openDatabase } from "@pay/database";
import { startPostgres } from "@pay/embedded";
import { createLocalBus, outboxRow } from "@pay/events";
import { createTestRuntime, readConfig } from "@pay/process";
import { Mode } from "@pay/proto";
import { newId } from "@pay/values";
import type { Pool } from "pg";
import { deriveAddress } from "./busy-chain.ts";
import { post, startFaultyNode } from "./faulty-node.ts";
import { servePayments } from "./serve-payments.ts";
import type { Undo } from "./with-undo.ts";

export const CHAIN_ID = 31_337;
const WAIT_MAX_MS = 600_000;
const LIFETIME_MS = 6 * 3_600_000;
const SERVICE = join(import.meta.dirname, "..", "..", "services", "chains");
const PROJECT = newId("proj");

export interface Token {
  symbol: string;
  name: string;
  decimals: number;
  address: string;
}

export interface Stage {
  databaseUrl: string;
  paymentsAddress: string;
  pool: Pool;
  token: Token;
}

export interface Order {
  id: string;
  recipient: string;
  amount: bigint;
  /** The token where nothing is said. */
  currency?: "native";
}

export async function openStage(token: Token, undo: Undo): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "pay-bench-chains-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  undo.push(() => postgres.stop());
  const life = createTestRuntime("bench");
  undo.push(() => life.stop());
  const databaseUrl = await postgres.provide("chains");
  await migrate({ url: databaseUrl, ...findMigrationFiles(SERVICE), log: life.log });
  const { pool } = openDatabase({ url: databaseUrl, poolMax: 2, runtime: life });
  const { address: paymentsAddress } = await servePayments(life);
  return { databaseUrl, paymentsAddress, pool, token };
}

export function makeOrders(count: number, name: string, more: Partial<Order> = {}): Order[] {
  return Array.from({ length: count }, (_, nth) => ({
    id: newId("pay"),
    amount: BigInt(1_000 + nth),
    recipient: deriveAddress(`${name}${nth.toString(16).padStart(8, "0")}`),
    ...more,
  }));
}

export interface Service {
  publish(events: ReturnType<typeof toEvent>[]): Promise<unknown>;
  stop(): Promise<unknown>;
}

export function buildEnvironment(
  { databaseUrl, paymentsAddress, token }: Stage,
  [local = "", ...others]: readonly string[],
): Record<string, string> {
  return {
    CHAINS_DATABASE_URL: databaseUrl,
    CHAINS_GRPC_PORT: "0",
    PAYMENTS_ADDRESS: paymentsAddress,
    CHAINS_LOCAL: JSON.stringify({ rpcUrl: local, tokens: [token] }),
    CHAINS_PROVIDERS: JSON.stringify(others.length === 0 ? {} : { [CHAIN_ID]: others }),
  };
}

export async function startService(
  stage: Stage,
  providers: readonly string[],
  bounds: { followIntervalMs?: number } = {},
): Promise<Service> {
  const life = createTestRuntime("bench");
  const bus = createLocalBus();
  const config = readConfig(chainsConfig, buildEnvironment(stage, providers));
  await startChains(config, life, { bus, bounds });
  return { publish: bus.publish, stop: () => life.stop() };
}

const PROVIDERS = 3;

/** Providers that each lose that share of their answers. */
export async function faultyProviders(rpcUrl: string, share: number, undo: Undo) {
  const nodes = await Promise.all(
    Array.from({ length: PROVIDERS }, (_, seed) =>
      startFaultyNode((body) => post(rpcUrl, body), { share, seed }),
    ),
  );
  undo.push(() => Promise.all(nodes.map((node) => node.stop())));
  return nodes.map(({ url }) => url);
}

const CREATED = new Date();

export function toEvent({ token }: Stage, order: Order, txHash?: string) {
  const { id, recipient, amount, currency = token.address } = order;
  const value = {
    id,
    projectId: PROJECT,
    mode: Mode.TEST,
    status: txHash === undefined ? "created" : "processing",
    chainId: BigInt(CHAIN_ID),
    currency,
    recipientAddress: recipient,
    baseAmount: `${amount}`,
    createdAt: timestampFromDate(CREATED),
    version: txHash === undefined ? 1 : 2,
    expiresAt: timestampFromDate(new Date(CREATED.getTime() + LIFETIME_MS)),
    hashes: txHash === undefined ? [] : [{ txHash }],
  };
  return outboxRow({
    type: txHash === undefined ? "payment.created" : "payment.processing",
    projectId: PROJECT,
    mode: Mode.TEST,
    resourceId: id,
    requestId: "bench",
    resource: { case: "payment", value },
  });
}

const EVENTS_AT_ONCE = 500;

/** A service that follows from the head of the chain on is given the payments, and stops. */
export async function watch(stage: Stage, rpcUrl: string, orders: readonly Order[]) {
  const service = await startService(stage, [rpcUrl]);
  for (let at = 0; at < orders.length; at += EVENTS_AT_ONCE) {
    const some = orders.slice(at, at + EVENTS_AT_ONCE);
    await service.publish(some.map((order) => toEvent(stage, order)));
  }
  await reached(stage.pool, `select count(*) >= ${orders.length} as done from watches`);
  await reached(
    stage.pool,
    "select watched_xid > 0 and head_hash is not null as done from cursors",
  );
  await service.stop();
}

export async function reached(pool: Pool, query: string): Promise<void> {
  const begun = performance.now();
  while (performance.now() - begun < WAIT_MAX_MS) {
    const { rows } = await pool.query<{ done: boolean }>(query);
    if (rows[0]?.done === true) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`not within ${WAIT_MAX_MS / 1_000} s: ${query}`);
}

export interface Place {
  number: number;
  hash: string;
}

export async function followedPlace({ pool }: Stage): Promise<Place> {
  const { rows } = await pool.query("select head_number, head_hash from cursors");
  return { number: Number(rows[0].head_number), hash: rows[0].head_hash as string };
}

/** As before any transfer was found. */
export async function forgetTransfers(pool: Pool): Promise<void> {
  await pool.query(
    "truncate transfers, transactions, submissions, attributions, allocations, attribution_queue, payment_sums, outbox",
  );
  await pool.query(
    `update watches set paid_block = null, has_parts = false, is_settled = false
     where paid_block is not null or has_parts or is_settled`,
  );
}

/** As before the blocks after this one were followed. */
export async function rewind({ pool }: Stage, start: Place): Promise<void> {
  await forgetTransfers(pool);
  await pool.query("delete from blocks where number > $1", [start.number]);
  await pool.query(
    "update cursors set head_number = $1, head_hash = $2, final_number = null, leader = null",
    [start.number, start.hash],
  );
}
