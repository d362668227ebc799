// Each query of the service finds its rows by an index: a part of the table that is read as a whole gets slower with
// every payment. The plans are those of PostgreSQL for tables with rows and statistics.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { COUNTED_MAX } from "@pay/database";
import { Mode } from "@pay/proto";
import {
  countPages,
  describeStatementPlans,
  describeWithPostgres,
  readPlan,
  type TestDatabase,
  testDatabase,
  wastefulReads,
} from "@pay/testing";
import { toTxHash } from "@pay/values";
import type { Pool } from "pg";
import type { Payment } from "../src/domain/payment.ts";
import * as statements from "../src/generated/sql.ts";
import { findOpenPayments, findPaymentsByIds, pagePayments } from "../src/generated/sql.ts";
import { claimDuePayments, findByNames } from "../src/storage/cross-tenant.ts";
import type { Position } from "../src/storage/listing/conditions.ts";
import { findPage, findPosition } from "../src/storage/listing/page.ts";
import { findByKeys, findPayments, findSameHash, movePayments } from "../src/storage/payments.ts";
import { findSteps } from "../src/storage/timelines.ts";

const ROWS = 20_000;
const shop = { projectId: "proj_000000000000000000000007", mode: Mode.LIVE };
const PARTS = ["payments_awaiting", "payments_processing", "payments_closed"];
const ITEMS = 16;

const FILL = `
  insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, secret_version, expires_at, created_at, order_id, customer_id, confirmed_at, tx_hash,
    block_number, payer_address, received_base_amount, final_base_amount, due_at)
  select 'pay_' || lpad(n::text, 24, '0'), 'proj_' || lpad((n % 20)::text, 24, '0'), 1, 1 + n % 40 / 20,
    (array['created', 'processing', 'confirmed', 'expired'])[1 + n % 4], '1', 1, 18, 'native', 1 + n % 60 / 20,
    '0x' || lpad(n::text, 40, '0'), false, 1, now() + n * interval '1 second', now() - n * interval '1 minute', 'order ' || n, 'cus_' || n, now(),
    sha256(n::text::bytea), 1, substr(sha256(n::text::bytea), 1, 20), 1, 1,
    case when n % 4 = 1 then now() + n * interval '1 second' end
  from generate_series(1, ${ROWS}) as n`;

const KEY_SCOPE = `${shop.projectId}:1:POST /v1/payments`;

/** A key for each payment of the shop. */
const FILL_KEYS = `
  insert into idempotency_keys (scope, key, fingerprint, response)
  select $1, id, '\\x', convert_to(id, 'UTF8') from payments where project_id = $2`;

const OF_ONE_ORDER = `
  insert into payments_closed (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, secret_version, expires_at, created_at, order_id)
  select 'pay_' || lpad('s' || $3::int || 'n' || n, 24, '0'), $1, 1, 1, 'expired', '1', 1, 18, 'native', 1, '0x', false, 1, now(),
    now() - (n + 1000000 * $3::int) * interval '1 second', 'subscription' from generate_series(1, $2::int) as n`;

function getId(nth: number) {
  return `pay_${String(nth * 20 + 7).padStart(24, "0")}`;
}

describeWithPostgres("plans", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("services/payments");
    await db.pool.query(FILL);
    await db.pool.query(FILL_KEYS, [KEY_SCOPE, shop.projectId]);
    for (const table of [...PARTS, "payment_totals", "payment_counts"]) {
      await db.pool.query(`analyze ${table}`);
    }
  });
  afterAll(() => db?.drop());

  const ids = Array.from({ length: ITEMS }, (_, nth) => getId(nth));
  const names = ids.map((paymentId) => ({ projectId: shop.projectId, paymentId }));
  const txHash = toTxHash(`0x${"1a".repeat(32)}`);

  test.each<[string, (db: Pool) => Promise<unknown>]>([
    [
      "payments of callers",
      (pool) =>
        findPayments(
          pool,
          ids.map((id) => ({ tenant: shop, id })),
        ),
    ],
    [
      "payments of idempotency keys",
      async (pool) => {
        const keys = ids.map((key) => ({ scope: KEY_SCOPE, key, fingerprint: Buffer.alloc(32) }));
        const found = await findByKeys(pool, keys);
        expect(found.map((one) => one?.payment.id)).toEqual(ids);
      },
    ],
    ["payments of facts", (pool) => findByNames(pool, names)],
    ["payments of client secrets", (pool) => findPaymentsByIds(pool, { ids })],
    [
      "payments of all projects, a page at a time",
      (pool) =>
        pagePayments(pool, { projectId: shop.projectId, paymentId: getId(ITEMS), limit: 250 }),
    ],
    ["steps", async (pool) => findSteps(pool, await findByNames(pool, names))],
    [
      "payments of the same hash",
      (pool) =>
        findSameHash(
          pool,
          ids.map((id) => ({ tenant: shop, chainId: 1n, txHash, id })),
        ),
    ],
    [
      "due payments",
      (pool) =>
        claimDuePayments(pool as never, {
          now: new Date(),
          limit: 500,
        }),
    ],
    [
      "open payments of wallets",
      (pool) =>
        findOpenPayments(pool, {
          wallets: names.map((_, nth) => ({
            n: nth,
            project_id: shop.projectId,
            mode: shop.mode,
            chain_id: 1n,
            recipient_address: `0x${String(nth * 20 + 7).padStart(40, "0")}`,
            xid: 0n,
            payment_id: "",
          })),
          now: new Date(),
          limit: 2_000,
        }),
    ],
    [
      "moves",
      async (pool) => {
        const found = await findByNames(pool, names);
        const event = {
          eventId: "",
          type: "",
          topic: "",
          key: "",
          requestId: "",
          payload: Buffer.alloc(0),
        };
        const moves = found.map((one: Payment) => ({
          payment: { ...one, status: "expired" as const, due_at: null, version: one.version + 1 },
          steps: [],
          event,
        }));
        expect((await movePayments(pool, moves)).size).toBe(ITEMS);
      },
    ],
  ])("%s are found by an index", async (_, work) => {
    expect(await wastefulReads(db.pool, PARTS, work)).toEqual([]);
  });

  test.each([
    {},
    { variant: 2 },
    { statuses: ["expired"] },
    { chainId: 3n },
    { variant: 1, statuses: ["created", "confirmed"], chainId: 1n },
    { orderId: "order 27" },
    { txHash },
    { customerId: "cus_27" },
    { owner: { walletAddress: `0x${"1a".repeat(20)}`, customerIds: ["cus_27", "cus_47"] } },
    { createdFrom: new Date(Date.now() - 86_400_000 * 3.3), createdTo: new Date() },
    { payerAddress: `0x${"1a".repeat(20)}` },
    { needs: "review" },
    { source: "dashboard" },
    { currency: "native", createdFrom: new Date(Date.now() - 86_400_000) },
    { orderId: "order 27", amountFrom: "0.5", createdFrom: new Date(0) },
  ])("a list of %p is read from an index", async (narrow) => {
    const filter = { statuses: [], ...narrow };
    expect(
      await wastefulReads(db.pool, PARTS, async (pool) => {
        const after = await findPosition(pool, shop, undefined, getId(400));
        for (const [offset, start] of [
          [0, undefined],
          [40, undefined],
          [400, undefined],
          [0, after],
        ] as const) {
          await findPage(pool, shop, filter, { limit: 20, offset, after: start });
        }
      }),
    ).toEqual([]);
  });

  test("a list of one order costs the same however many payments have it", async () => {
    const filter = { statuses: [], orderId: "subscription" };
    async function measureCost(page: {
      limit: number;
      offset: number;
      after: Position | undefined;
    }) {
      async function read(pool: Pool) {
        const found = await findPage(pool, shop, filter, page);
        expect([found.payments.length, found.total]).toEqual([20, BigInt(COUNTED_MAX)]);
      }

      // The first time PostgreSQL reads its catalog as well.
      await readPlan(db.pool, read);
      return countPages(await readPlan(db.pool, read));
    }

    const pages = [0, 400].map((offset) => ({ limit: 20, offset, after: undefined }));
    const costs: number[][] = [];
    for (let list = 0; list < 2; list++) {
      await db.pool.query(OF_ONE_ORDER, [shop.projectId, COUNTED_MAX * 1.5, list]);
      await db.pool.query("vacuum analyze payments_closed");
      costs.push([]);
      for (const page of pages) costs.at(-1)?.push(await measureCost(page));
    }
    const [few = [], many = []] = costs;
    for (const [nth, cost] of many.entries()) expect(cost).toBeLessThan((few[nth] ?? 0) * 1.3);
  });
});

describeStatementPlans({
  folder: "services/payments",
  statements,
  values: {
    "payments.mode": "1 + n % 2",
    "payments.variant": "1 + n % 2",
    "payments.status": "(array['created', 'processing', 'confirmed', 'expired'])[1 + n % 4]",
    "payments.tx_hash": "sha256(n::text::bytea)",
    "payments.money_tx_hash": "null",
    "payments.payer_address": "substr(sha256(n::text::bytea), 1, 20)",
    "payments.sender_address": "substr(sha256(n::text::bytea), 1, 20)",
    "payments.late_decision": "'accepted'",
    "payments.unnamed_transfers": "'hold'",
    "payments.hashes": "null",
    "payments.senders": "null",
    "payments.arrived": "null",
    "payments.screened": "null",
    "payments.due_at": "case when n % 4 = 1 then now() end",
    "payment_counts.project_id": "'proj_' || n % 400",
    "payment_counts.grain": "(array['day', 'hour'])[1 + n % 2]",
    "payment_counts.shard": "case when n % 100 = 0 then 1 else 0 end",
  },
  small: { handoffs: "a code lives for minutes" },
});
