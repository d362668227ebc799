import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Mode, Variant } from "@pay/proto";
import { until } from "@pay/testing";
import fc from "fast-check";
import {
  moneyChanged,
  order,
  startTestPayments,
  stranger,
  type TestPayments,
  tenant,
} from "./payments.ts";

let payments: TestPayments;
beforeAll(async () => {
  payments = await startTestPayments();
});
afterAll(() => payments?.stop());

const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const WALLET = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const own = { projectId: "proj_CCCCCCCCCCCCCCCCCCCCCCCC", mode: Mode.LIVE };
function page(page: number, limit: number, after = "") {
  return { page, limit, after };
}

describe("batchGetPayments", () => {
  test("another project's payment, another mode's and an unknown one are equally absent", async () => {
    const { id } = await payments.create();
    const { results } = await payments.client.batchGetPayments({
      requests: [
        { tenant, id },
        { tenant: stranger, id },
        { tenant: { ...tenant, mode: Mode.TEST }, id },
        { tenant, id: "pay_000000000000000000000000" },
      ],
    });
    expect(results[0]?.result).toMatchObject({ case: "payment", value: { id } });
    const absent = {
      case: "failure",
      value: { code: "payment_not_found", message: "Payment not found" },
    };
    for (const { result } of results.slice(1)) expect(result).toMatchObject(absent);
  });
});

describe("what waits for a person's decision", () => {
  async function list(from = tenant, after = "", limit = 100) {
    const page = { page: 1, limit, after };
    const answer = await payments.client.listUndecidedPayments({ tenant: from, page });
    return { ids: answer.payments.map(({ id }) => id), next: answer.nextAfter };
  }

  test("is listed for its own project and mode until it is accepted, rejected or returned", async () => {
    const made: string[] = [];
    for (let nth = 0; nth < 3; nth++) {
      const { id } = await payments.create();
      await payments.publish(moneyChanged(id, 1, { needs: "review" }));
      made.unshift(id);
    }
    const [newest = "", second = "", oldest = ""] = made;
    await until(async () => (await list()).ids.length >= 3);
    expect((await list()).ids.filter((id) => made.includes(id))).toEqual(made);
    expect(await list(tenant, "", 1)).toEqual({ ids: [newest], next: newest });
    expect((await list(tenant, newest, 1)).ids).toEqual([second]);
    expect((await list(stranger)).ids).toEqual([]);
    expect((await list({ ...tenant, mode: Mode.TEST })).ids).toEqual([]);
    await expect(list(stranger, newest)).rejects.toMatchObject({ errorCode: "cursor_unknown" });
    await payments.publish(moneyChanged(oldest, 2));
    await until(async () => !(await list()).ids.includes(oldest));
    expect((await list()).ids).toContain(second);
  });
});

test("a client secret is shown where it is asked for, until it has expired", async () => {
  const own = { projectId: "proj_EEEEEEEEEEEEEEEEEEEEEEEE", mode: Mode.LIVE };
  const { id, clientSecret } = await payments.create({ ...order(), tenant: own });
  async function read(withClientSecret: boolean) {
    const requests = [{ tenant: own, id, withClientSecret }];
    const [one] = (await payments.client.batchGetPayments({ requests })).results;
    const list = await payments.client.listPayments({ tenant: own, withClientSecret });
    const { result } = one ?? {};
    return [
      result?.case === "payment" && result.value.clientSecret,
      list.payments[0]?.clientSecret,
    ];
  }

  expect(await read(false)).toEqual(["", ""]);
  expect(await read(true)).toEqual([clientSecret, clientSecret]);
  await payments.pool.query(
    "update payments set expires_at = expires_at - interval '2 days' where id = $1",
    [id],
  );
  expect(await read(true)).toEqual(["", ""]);
});

describe("listPayments", () => {
  const made: string[] = [];
  beforeAll(async () => {
    for (let n = 0; n < 7; n++) {
      made.unshift(
        (await payments.create({ ...order({ orderId: `o-${n % 2}` }), tenant: own })).id,
      );
    }
  });
  async function list(request: object) {
    const answer = await payments.client.listPayments({ tenant: own, ...request });
    return {
      ids: answer.payments.map(({ id }) => id),
      total: Number(answer.total),
      next: answer.nextAfter,
    };
  }

  test("pages are newest first, with a total, and empty past the end", async () => {
    expect(await list({ page: page(1, 3) })).toMatchObject({ ids: made.slice(0, 3), total: 7 });
    expect(await list({ page: page(3, 3) })).toMatchObject({ ids: made.slice(6), total: 7 });
    expect(await list({ page: page(9, 3) })).toMatchObject({ ids: [], total: 7 });
  });

  test("reading page by page by the last id sees every payment once, while new ones are created", async () => {
    const seen: string[] = [];
    let after = "";
    do {
      const part = await list({ page: page(1, 2, after) });
      seen.push(...part.ids);
      after = part.next;
      if (seen.length === 2) await payments.create({ ...order(), tenant: own });
    } while (after !== "");
    expect(seen).toEqual(made);
  });

  test("filters narrow the list and its total together", async () => {
    const { total } = await list({});
    expect(await list({ orderId: "o-0" })).toMatchObject({ total: 4 });
    expect(await list({ orderId: "o-9" })).toMatchObject({ ids: [], total: 0 });
    expect(await list({ statuses: ["created"] })).toMatchObject({ total });
    expect(await list({ statuses: ["confirmed", "failed"] })).toMatchObject({ total: 0 });
    expect(await list({ chainId: 1n })).toMatchObject({ total: 0 });
    expect(await list({ createdFrom: { seconds: 4_000_000_000n, nanos: 0 } })).toMatchObject({
      total: 0,
    });
  });

  test("another project's list is empty, and its ids are no position in it", async () => {
    const empty = await payments.client.listPayments({ tenant: { ...own, mode: Mode.TEST } });
    expect(empty).toMatchObject({ payments: [], total: 0n });
    await expect(
      payments.client.listPayments({ tenant: stranger, page: page(1, 2, made[0]) }),
    ).rejects.toMatchObject({ errorCode: "cursor_unknown" });
  });

  test("a customer's list has the payments of the wallet and of the customer record only", async () => {
    const shop = { projectId: "proj_DDDDDDDDDDDDDDDDDDDDDDDD", mode: Mode.LIVE };
    const wallet = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";
    const customerId = "cust_000000000000000000000001";
    async function make(change = {}) {
      return (await payments.create({ ...order(change), tenant: shop })).id;
    }

    const declared = await make();
    const paid = await make();
    const named = await make({ customerId });
    const foreign = await make({ customerId: "cust_000000000000000000000002" });
    await payments.client.batchSubmitTransactions({
      requests: [
        { tenant: shop, id: declared, payerAddress: wallet },
        { tenant: shop, id: foreign, payerAddress: "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65" },
      ].map((item, n) => ({ ...item, txHash: `0x${String(n).repeat(64)}`, trusted: true })),
    });
    await payments.pool.query(
      "update payments set sender_address = $2, payer_address = $2 where id = $1",
      [paid, Buffer.from(wallet.slice(2), "hex")],
    );
    const owner = { walletAddress: wallet, customerIds: [customerId] };
    async function listed(request: object) {
      return list({ tenant: shop, ...request });
    }

    expect(await listed({ owner })).toMatchObject({ ids: [named, paid, declared], total: 3 });
    expect(await listed({ owner, statuses: ["created"], page: page(1, 1) })).toMatchObject({
      ids: [named],
      total: 2,
    });
    expect(await listed({ owner, page: page(1, 5, named) })).toMatchObject({
      ids: [paid, declared],
      total: 3,
    });
    expect(await listed({ owner: { customerIds: [customerId] } })).toMatchObject({ ids: [named] });
    expect(await listed({ owner: {} })).toMatchObject({ ids: [], total: 0 });
    expect(await listed({ owner, tenant: { ...shop, mode: Mode.TEST } })).toMatchObject({
      ids: [],
    });
    await expect(listed({ owner, page: page(1, 5, foreign) })).rejects.toMatchObject({
      errorCode: "cursor_unknown",
    });
  });

  test("the kept totals equal a count of the rows after every kind of move", async () => {
    const kinds = "project_id, mode, variant, status, chain_id";
    const spans = `${kinds}, grain, since`;
    // A pending count is of its hour and of its day.
    const kept = `(select ${kinds}, grain, since, payments from payment_counts union all
      select ${kinds}, 'day', date_trunc('day', since, 'UTC'), payments from payment_counts
      where grain = 'hour' and shard > 0)`;
    const grains = "payments cross join (values ('day'), ('hour')) grains (grain)";
    for (const [keys, source, counted] of [
      [kinds, "payment_totals", `(select ${kinds} from payments) rows`],
      [
        spans,
        `${kept} kept_spans`,
        `(select ${kinds}, grain, date_trunc(grain, created_at, 'UTC') as since from ${grains}) rows`,
      ],
    ]) {
      const { rows } = await payments.pool.query(`
        select coalesce(kept.n, 0) as kept, coalesce(counted.n, 0) as counted
        from (select ${keys}, sum(payments) as n from ${source} group by ${keys}) kept
        full join (select ${keys}, count(*) as n from ${counted} group by ${keys}) counted
        using (${keys})`);
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(Number(row.kept)).toBe(Number(row.counted));
    }
  });

  describe("of many payments of many kinds", () => {
    const shop = { projectId: "proj_EEEEEEEEEEEEEEEEEEEEEEEE", mode: Mode.LIVE };
    const start = Date.UTC(2026, 2, 1, 5, 17, 3, 123);
    const lengthMs = 3.4 * 86_400_000;

    beforeAll(async () => {
      await payments.pool.query(
        `insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency,
           chain_id, recipient_address, qr_mode, secret_version, expires_at, created_at, order_id, payer_address, needs,
           source, failure_code, refunded_base_amount)
         select 'pay_' || lpad('E' || n, 24, '0'), $1, 1, 1 + n % 2, (array['created', 'failed', 'expired'])[1 + n % 3],
           trim_scale((1 + n % 7) / 2.0)::text, 1, 18, (array['native', $4])[1 + n / 2 % 2], 1 + n % 5,
           (array[$4, $5])[1 + n / 3 % 2], false, 1, '2100-01-01', $2::timestamptz + n * n * $3 * interval '1 ms',
           case when n % 3 > 0 then 'o-1' end, case when n % 4 > 0 then decode(substr($5, 3), 'hex') end,
           case when n % 5 = 2 then 'review' end, case when n % 4 = 1 then 'dashboard' end,
           case n % 6 when 1 then 'underpaid' when 2 then 'cancelled' end, case when n % 7 < 3 then n % 2 end
         from generate_series(0, 399) as n`,
        [shop.projectId, new Date(start), lengthMs / 400 ** 2, TOKEN, WALLET],
      );
      await payments.pool.query(
        "update payments set status = 'expired' where project_id = $1 and status = 'created' and chain_id = 3",
        [shop.projectId],
      );
    });

    /** A filter that half of the lists have. */
    function sometimes<T>(...values: T[]) {
      return fc.option(fc.constantFrom(...values), { nil: undefined });
    }

    const searches = fc.record({
      orderId: sometimes("o-1"),
      payerAddress: sometimes(WALLET.toLowerCase()),
      needs: sometimes("review", "payer_signature"),
      source: sometimes("api", "dashboard"),
      currency: sometimes("native", TOKEN),
      recipientAddress: sometimes(TOKEN.toLowerCase(), WALLET),
      amountFrom: sometimes("0.5", "2"),
      amountTo: sometimes("3.5", "2.0"),
      failureCode: sometimes("underpaid", "late"),
      refunded: sometimes(true, false),
    });

    type Search = Record<string, string | boolean | undefined>;
    const SEARCHED = [
      "currency",
      "recipientAddress",
      "amountFrom",
      "amountTo",
      "failureCode",
      "refunded",
    ];
    function isSearch(search: Search) {
      return search.source === "api" || SEARCHED.some((name) => search[name] !== undefined);
    }

    function fits(row: Record<string, string | null>, search: Search) {
      const { amountFrom = "0", amountTo = "100", ...values } = search;
      const facts: Search = {
        orderId: row.order_id ?? "",
        payerAddress: row.payer_address === null ? "" : WALLET,
        needs: row.needs ?? "",
        source: row.source ?? "api",
        currency: row.currency ?? "",
        recipientAddress: row.recipient_address ?? "",
        failureCode: row.failure_code ?? "",
        refunded: Number(row.refunded_base_amount) > 0,
      };
      const isSame = Object.entries(values).every(
        ([name, value]) =>
          value === undefined || `${value}`.toLowerCase() === `${facts[name]}`.toLowerCase(),
      );
      const amount = Number(row.amount);
      return isSame && amount >= Number(amountFrom) && amount <= Number(amountTo);
    }

    const asked = fc.record({
      variant: fc.constantFrom(undefined, Variant.PRIMARY, Variant.B),
      statuses: fc.subarray(["created", "failed", "expired", "refunded"]),
      chainId: fc.constantFrom(undefined, 1n, 3n, 9n),
      from: fc.option(fc.double({ min: -0.2, max: 1.2, noNaN: true }), { nil: undefined }),
      to: fc.option(fc.double({ min: -0.2, max: 1.2, noNaN: true }), { nil: undefined }),
      page: fc.integer({ min: 1, max: 4 }),
      afterNth: fc.option(fc.nat(399), { nil: undefined }),
      search: fc.option(searches, { nil: {} }),
    });

    test("every list is complete and in order, and its total is exact", async () => {
      const { rows } = await payments.pool.query(
        "select * from payments where project_id = $1 order by created_at desc, id desc",
        [shop.projectId],
      );
      function toTime(share: number | undefined) {
        return share === undefined ? undefined : new Date(Math.round(start + share * lengthMs));
      }

      await fc.assert(
        fc.asyncProperty(asked, async ({ from, to, afterNth, page: number, search, ...narrow }) => {
          const [createdFrom, createdTo] = [toTime(from), toTime(to)];
          const { variant, statuses, chainId } = narrow;
          const monthAgo = new Date((createdTo?.getTime() ?? Date.now()) - 30 * 86_400_000);
          const since = createdFrom ?? (isSearch(search) ? monthAgo : undefined);
          const matching = rows.filter(
            (row) =>
              fits(row, search) &&
              (variant === undefined || row.variant === variant) &&
              (statuses.length === 0 || statuses.includes(row.status)) &&
              (chainId === undefined || BigInt(row.chain_id) === chainId) &&
              (since === undefined || row.created_at >= since) &&
              (createdTo === undefined || row.created_at <= createdTo),
          );
          const after = afterNth === undefined ? "" : rows[afterNth].id;
          const rest =
            afterNth === undefined
              ? matching.slice((number - 1) * 20)
              : matching.filter((row) => rows.indexOf(row) > afterNth);
          const answer = await list({
            ...narrow,
            ...search,
            tenant: shop,
            page: page(number, 20, after),
            ...(createdFrom && { createdFrom: timestampFromDate(createdFrom) }),
            ...(createdTo && { createdTo: timestampFromDate(createdTo) }),
          });
          expect(answer.total).toBe(matching.length);
          expect(answer.ids).toEqual(rest.slice(0, 20).map(({ id }) => id));
        }),
        { numRuns: 250 },
      );
    });
  });
});
