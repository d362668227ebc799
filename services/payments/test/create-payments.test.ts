import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode, Variant } from "@pay/proto";
import { until } from "@pay/testing";
import { toAddress, toDepositAddress } from "@pay/values";
import { order, startTestPayments, stranger, type TestPayments, tenant } from "./payments.ts";

let payments: TestPayments;
beforeAll(async () => {
  payments = await startTestPayments();
});
afterAll(() => payments?.stop());

function key(name: string, fingerprint = "a") {
  return {
    route: "POST /v1/payments",
    key: name,
    fingerprint: Buffer.from(fingerprint),
  };
}

async function createAll(requests: ReturnType<typeof order>[]) {
  const { results } = await payments.client.batchCreatePayments({ requests });
  return results;
}

test("a created payment is stored with its event in one step", async () => {
  const [result] = await createAll([
    order({ description: "mugs", metadataJson: '{"a":1}', orderId: "o-1", qrMode: true }),
  ]);
  expect(result?.result).toMatchObject({
    case: "payment",
    value: {
      status: "created",
      amount: "1.5",
      baseAmount: "1500000000000000000",
      description: "mugs",
      metadataJson: '{"a":1}',
      orderId: "o-1",
      qrMode: true,
      version: 1,
      clientSecret: expect.stringMatching(/^cs_live_/),
    },
  });
  const id = result?.result.case === "payment" ? result.result.value.id : "";
  const event = await until(() => payments.events.find(({ resourceId }) => resourceId === id));
  expect(event).toMatchObject({
    type: "payment.created",
    projectId: tenant.projectId,
    sequence: 1,
    requestId: "request-1",
    resource: { case: "payment", value: { id, amount: "1.5" } },
  });
  // It has no field for the client secret, and nothing in a field that it does not know.
  expect(event?.resource.value).not.toHaveProperty("$unknown");
});

test("a payment is paid at an address that its id and its recipient make, where it is asked for", async () => {
  const results = await createAll([order({ depositAddresses: true }), order()]);
  const [own, shared] = results.map(({ result }) => {
    if (result.case !== "payment") throw new Error(result.value?.message);
    return result.value;
  });
  const recipient = toAddress(own?.recipientAddress ?? "");
  expect(own?.payTo).toBe(toDepositAddress({ paymentId: own?.id ?? "", recipient }));
  expect(shared).not.toHaveProperty("payTo");
  const event = await until(() => payments.events.find(({ resourceId }) => resourceId === own?.id));
  expect(event?.resource.value).toMatchObject({ payTo: own?.payTo });
});

test("Variant B starts as pending", async () => {
  const [result] = await createAll([order({ variant: Variant.B, expiresInMinutes: 5 })]);
  expect(result?.result).toMatchObject({ case: "payment", value: { status: "pending" } });
  if (result?.result.case !== "payment") return;
  const { createdAt, expiresAt } = result.result.value;
  expect(Number(expiresAt?.seconds) - Number(createdAt?.seconds)).toBe(300);
});

test("one bad item of a list never fails another", async () => {
  const token = payments.chain.token.address;
  const results = await createAll([
    order(),
    order({ chainId: 999_999n }),
    order({ amount: "0.0000001", currency: token }),
    order({ amount: "0" }),
    order({ recipientAddress: `0x${"0".repeat(40)}` }),
    order({ recipientAddress: token, currency: token }),
    order({ currency: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" }),
    // The database refuses this text, no check does.
    order({ description: "a\u0000b" }),
    order({ description: "after it" }),
  ]);
  expect(
    results.map(({ result }) => (result.case === "failure" ? result.value.message : result.case)),
  ).toEqual([
    "payment",
    "chainId is not supported",
    "amount must be a positive decimal string with at most 6 fraction digits",
    "amount must be greater than zero",
    "recipientAddress must not be the zero address",
    "recipientAddress must not be a token contract",
    'currency must be "native" or a token listed for the chain',
    "Internal server error",
    "payment",
  ]);
});

const RUNNING = {
  code: "idempotency_in_progress",
  message: "A request with this Idempotency-Key is still running",
};

test("of one list the first item under a key is stored, and the others are refused meanwhile", async () => {
  const request = order({ idempotency: key("k-list") });
  const [first, second, other, third] = await createAll([request, request, order(), request]);
  expect([first?.result.case, first?.replayed]).toEqual(["payment", false]);
  expect(other?.result.case).toBe("payment");
  for (const refused of [second, third]) {
    expect(refused?.result).toMatchObject({ case: "failure", value: RUNNING });
  }
  // Once the first is stored, every repetition gets its answer, also two at once.
  for (const again of await createAll([request, order(), request]).then(([one, , two]) => [
    one,
    two,
  ])) {
    expect(again).toEqual({ ...first, replayed: true });
  }
});

test("of many lists at once one creates, and every later answer is the same", async () => {
  const request = order({ idempotency: key("k-many") });
  const lists = await Promise.all(
    Array.from({ length: 30 }, () => createAll([request, order(), request])),
  );
  const all = lists.flat();
  expect(all.filter((_, index) => index % 3 === 1).map(({ result }) => result.case)).toEqual(
    lists.map(() => "payment"),
  );
  const asked = all.filter((_, index) => index % 3 !== 1);
  const made = asked.filter(({ result }) => result.case === "payment");
  expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(new Set(made.map(({ result }) => JSON.stringify(result.value, inText))).size).toBe(1);
  const refused = asked.filter(({ result }) => result.case === "failure");
  for (const { result } of refused) expect(result.value).toMatchObject(RUNNING);
  const [later] = await createAll([request]);
  expect(later?.replayed).toBe(true);
});

function inText(_: string, value: unknown) {
  return typeof value === "bigint" ? `${value}` : value;
}

test("while another process works under a key, a list continues without that item", async () => {
  const request = order({ idempotency: key("k-elsewhere") });
  const elsewhere = await payments.pool.connect();
  try {
    await elsewhere.query("begin");
    const scope = `${tenant.projectId}:${tenant.mode}:POST /v1/payments`;
    await elsewhere.query(
      "select pg_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0))",
      [scope, "k-elsewhere"],
    );
    await elsewhere.query("insert into idempotency_keys values ($1, $2, $3, $4)", [
      scope,
      "k-elsewhere",
      Buffer.from("a"),
      Buffer.from("pay_none"),
    ]);
    const [refused, other] = await createAll([request, order()]);
    expect(refused?.result).toMatchObject({ case: "failure", value: RUNNING });
    expect(other?.result.case).toBe("payment");
    await elsewhere.query("rollback");
    const [first] = await createAll([request]);
    expect([first?.result.case, first?.replayed]).toEqual(["payment", false]);
  } finally {
    elsewhere.release();
  }
});

test("a key gives the answer of the creation, though the payment moved on", async () => {
  const request = order({ idempotency: key("k-3") });
  const [first] = await createAll([request]);
  if (first?.result.case !== "payment") throw new Error("no payment was made");
  const { id } = first.result.value;
  const txHash = `0x${"5".repeat(64)}`;
  await payments.client.batchSubmitTransactions({
    requests: [{ tenant, requestId: "request-2", id, txHash, trusted: true }],
  });
  const [again] = await createAll([request]);
  expect(again).toEqual({ ...first, replayed: true });
});

test("a key with another body is refused; in another project it is another key", async () => {
  await createAll([order({ idempotency: key("k-2") })]);
  const [other, elsewhere] = await createAll([
    order({ idempotency: key("k-2", "b") }),
    order({ idempotency: key("k-2", "b"), tenant: stranger }),
  ]);
  expect(other?.result).toMatchObject({
    case: "failure",
    value: { code: "idempotency_key_reused" },
  });
  expect(elsewhere?.result.case).toBe("payment");
});

test("a request without a tenant is refused", async () => {
  const [result] = await createAll([{ ...order(), tenant: { projectId: "", mode: 0 } }]);
  expect(result?.result).toMatchObject({ case: "failure", value: { code: "call_malformed" } });
});

test("test mode takes test networks only", async () => {
  const [result] = await createAll([order({ tenant: { ...tenant, mode: 2 } })]);
  expect(result?.result).toMatchObject({
    case: "payment",
    value: { clientSecret: expect.stringMatching(/^cs_test_/) },
  });
});

test("sums by day and currency follow every change, for each project and mode alone", async () => {
  const shop = { projectId: "proj_FFFFFFFFFFFFFFFFFFFFFFFF", mode: Mode.LIVE };
  const others = [
    { ...shop, mode: Mode.TEST },
    { ...shop, projectId: "proj_HHHHHHHHHHHHHHHHHHHHHHHH" },
  ];
  const { id } = await payments.create({ ...order(), tenant: shop });
  await payments.create({ ...order({ amount: "2" }), tenant: shop });
  const { token } = payments.chain;
  await payments.create({ ...order({ currency: token.address, amount: "3" }), tenant: shop });
  for (const tenant of others) await payments.create({ ...order({ amount: "7" }), tenant });
  async function read(tenant: typeof shop, currency = "native") {
    const { sums } = await payments.client.listPaymentSums({
      tenant,
      from: "2000-01-01",
      to: "2100-01-01",
    });
    const kinds = ["started", "paid", "received", "refunded"] as const;
    const ofOne = sums.filter((sum) => sum.currency === currency);
    return kinds.map((kind) =>
      ofOne.reduce(
        ([count = 0n, amount = 0n], sum) => [
          count + (sum[kind]?.payments ?? 0n),
          amount + BigInt(sum[kind]?.baseAmount ?? 0),
        ],
        [0n, 0n],
      ),
    );
  }

  async function change(set: string) {
    await payments.pool.query(`update payments set ${set} where id = $1`, [id]);
  }

  const none = [0n, 0n];
  const one = 15n * 10n ** 17n;
  const started = [2n, one + 2n * 10n ** 18n];
  expect(await read(shop)).toEqual([started, none, none, none]);
  await change("received_base_amount = 5");
  expect(await read(shop)).toEqual([started, none, [1n, 5n], none]);
  await change(`status = 'confirmed', confirmed_at = '2026-01-31T23:59:59Z', block_number = 1,
    tx_hash = decode(repeat('ab', 32), 'hex'), received_base_amount = base_amount, final_base_amount = base_amount`);
  expect(await read(shop)).toEqual([started, [1n, one], [1n, one], none]);
  await change("refunded_base_amount = 4");
  await change("refunded_base_amount = 6");
  expect(await read(shop)).toEqual([started, [1n, one], [1n, one], [1n, 6n]]);
  const { sums } = await payments.client.listPaymentSums({
    tenant: shop,
    from: "2026-01-31",
    to: "2026-01-31",
  });
  expect(sums).toMatchObject([
    { day: "2026-01-31", currency: "native", decimals: 18, paid: { payments: 1n } },
  ]);
  expect(sums[0]?.started?.payments).toBe(0n);
  await change("confirmed_at = null, status = 'expired', refunded_base_amount = null");
  expect((await read(shop, token.address.toLowerCase()))[0]?.[0]).toBe(1n);
  for (const other of others) {
    expect(await read(other)).toEqual([[1n, 7n * 10n ** 18n], none, none, none]);
  }
  await payments.pool.query(
    `update payments set status = 'confirmed', confirmed_at = created_at + interval '90 seconds', block_number = 1,
       tx_hash = decode(repeat('ac', 32), 'hex'), received_base_amount = base_amount, final_base_amount = base_amount
     where project_id = $1`,
    [others[1]?.projectId],
  );
  const waits = [shop, ...others].map(async (tenant) => {
    const period = { from: "2000-01-01", to: "2100-01-01" };
    return (await payments.client.listPaymentSums({ tenant, ...period })).medianWaitSeconds;
  });
  expect(await Promise.all(waits)).toEqual([undefined, undefined, 90]);
  expect(await read(shop)).toEqual([started, none, [1n, one], none]);
});
