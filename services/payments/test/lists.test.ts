// A list holds items of many merchants: a fault of one item must not fail another.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { register } from "prom-client";
import { order, startTestPayments, stranger, type TestPayments, tenant } from "./payments.ts";

let payments: TestPayments;
beforeAll(async () => {
  payments = await startTestPayments();
});
afterAll(() => payments?.stop());

const GONE = 7;
const txHash = `0x${"3".repeat(64)}`;
/** As if its key were no longer configured. */
function retireKey(id: string) {
  return payments.pool.query("update payments set secret_version = $2 where id = $1", [id, GONE]);
}

async function missing() {
  const metric = await register.getSingleMetric("client_secret_keys_missing_total")?.get();
  return metric?.values.find(({ labels }) => `${labels.version}` === `${GONE}`)?.value ?? 0;
}

test("a submission whose client-secret key is retired fails alone, like a wrong secret", async () => {
  const [old, theirs] = [await payments.create(), await payments.create({ tenant: stranger })];
  await retireKey(old.id);
  const before = await missing();
  const { results } = await payments.client.batchSubmitTransactions({
    requests: [
      { tenant, id: old.id, clientSecret: old.clientSecret, txHash },
      { tenant: stranger, id: theirs.id, clientSecret: theirs.clientSecret, txHash },
    ],
  });
  expect(results.map(({ result }) => [result.case, result.value])).toMatchObject([
    [
      "failure",
      { code: "client_secret_invalid", message: "clientSecret is not valid for this payment" },
    ],
    ["payment", { id: theirs.id, status: "processing" }],
  ]);
  expect(await missing()).toBe(before + 1);
});

test("a creation that cannot show its client secret again fails alone, and only for now", async () => {
  const idempotency = { route: "POST /v1/payments", key: "old", fingerprint: Buffer.from("a") };
  const { id } = await payments.create({ idempotency });
  await retireKey(id);
  const { results } = await payments.client.batchCreatePayments({
    requests: [order({ idempotency, requestId: "r-old" }), order({ tenant: stranger })],
  });
  expect(payments.logged()).toMatchObject([
    { requestId: "r-old", code: "client_secret_unavailable" },
  ]);
  expect(results.map(({ result }) => [result.case, result.value])).toMatchObject([
    [
      "failure",
      { code: "client_secret_unavailable", message: "The client secret cannot be shown now" },
    ],
    ["payment", { projectId: stranger.projectId }],
  ]);
});

test("a submission that the database rejects fails alone, and the log has its request id", async () => {
  const [one, theirs] = [await payments.create(), await payments.create({ tenant: stranger })];
  const bad = { tenant, id: one.id, clientSecret: one.clientSecret, txHash, requestId: "r-bad" };
  const { results } = await payments.client.batchSubmitTransactions({
    requests: [
      { ...bad, payerAddress: "0x\u0000" },
      { tenant: stranger, id: theirs.id, clientSecret: theirs.clientSecret, txHash },
    ],
  });
  expect(results.map(({ result }) => [result.case, result.value])).toMatchObject([
    ["failure", { code: "internal" }],
    ["payment", { status: "processing" }],
  ]);
  expect(payments.logged()).toMatchObject([
    { msg: "an item of a list failed", requestId: "r-bad", code: "internal" },
  ]);
});

test("an item that waits for a lock fails alone, within the deadline of the call", async () => {
  const frozen = { ...stranger, projectId: "proj_HHHHHHHHHHHHHHHHHHHHHHHH" };
  await payments.pool.query(
    `insert into payment_totals (project_id, mode, variant, status, chain_id, shard, payments)
     select $1, 1, 1, 'created', 31337, shard, 0 from generate_series(0, 31) as shard`,
    [frozen.projectId],
  );
  const holder = await payments.pool.connect();
  try {
    await holder.query("begin");
    await holder.query("select from payment_totals where project_id = $1 for update", [
      frozen.projectId,
    ]);
    const requests = [order({ tenant: frozen }), order(), order({ tenant: stranger })];
    const { results } = await payments.client.batchCreatePayments({ requests });
    expect(results.map(({ result }) => [result.case, result.value])).toMatchObject([
      ["failure", { code: "service_unavailable" }],
      ["payment", { projectId: tenant.projectId }],
      ["payment", { projectId: stranger.projectId }],
    ]);
  } finally {
    await holder.query("rollback");
    holder.release();
  }
  payments.logged();
});

test("a payment is read under its own client secret only, where one is given", async () => {
  const [payment, other] = [await payments.create(), await payments.create()];
  function read(clientSecret?: string) {
    return {
      tenant,
      id: payment.id,
      ...(clientSecret === undefined ? {} : { clientSecret }),
    };
  }

  const { results } = await payments.client.batchGetPayments({
    requests: [read(payment.clientSecret), read(other.clientSecret), read(""), read()],
  });
  expect(results.map(({ result }) => result.value?.$typeName)).toEqual([
    "payments.v1.Payment",
    "tenancy.v1.ItemFailure",
    "tenancy.v1.ItemFailure",
    "payments.v1.Payment",
  ]);
});

test("a creation is answered again though the order would be refused today", async () => {
  const idempotency = { route: "POST /v1/payments", key: "again", fingerprint: Buffer.from("a") };
  const first = await payments.create({ idempotency });
  async function again(change: object) {
    const { results } = await payments.client.batchCreatePayments({
      requests: [order({ idempotency, ...change })],
    });
    return results[0];
  }

  // A chain that is no longer offered looks like an unknown one.
  expect(await again({ chainId: 999_999n })).toMatchObject({
    result: { case: "payment", value: { id: first.id, clientSecret: first.clientSecret } },
    replayed: true,
  });
  expect(await again({ replayOnly: true })).toMatchObject({
    result: { case: "payment", value: { id: first.id } },
    replayed: true,
  });
  const other = { ...idempotency, fingerprint: Buffer.from("b") };
  expect(await again({ replayOnly: true, idempotency: other })).toMatchObject({
    result: { value: { code: "idempotency_key_reused" } },
  });
});

test("a request that may only repeat an answer creates nothing", async () => {
  const idempotency = { route: "POST /v1/payments", key: "none", fingerprint: Buffer.from("a") };
  const request = order({ idempotency, replayOnly: true });
  const { results } = await payments.client.batchCreatePayments({ requests: [request, request] });
  for (const { result } of results)
    expect(result).toMatchObject({ value: { code: "idempotent_answer_not_found" } });
  const first = await payments.client.batchCreatePayments({ requests: [order({ idempotency })] });
  expect(first.results[0]).toMatchObject({ result: { case: "payment" }, replayed: false });
});

test("while chains is away, the verdict decides about a hash of two payments", async () => {
  const [first, second, third] = [
    await payments.create(),
    await payments.create(),
    await payments.create({ tenant: stranger }),
  ];
  const hash = `0x${"4".repeat(64)}`;
  async function submit(requests: object[]) {
    const { results } = await payments.client.batchSubmitTransactions({ requests });
    return results.map(({ result }) => (result.case === "payment" ? result.value.status : ""));
  }

  expect(await submit([{ tenant, id: first.id, txHash: hash, trusted: true }])).toEqual([
    "processing",
  ]);
  await payments.stopChains();
  expect(
    await submit([
      { tenant, id: second.id, txHash: hash, trusted: true },
      { tenant: stranger, id: third.id, txHash: `0x${"5".repeat(64)}`, trusted: true },
    ]),
  ).toEqual(["processing", "processing"]);
});
