// Ten thousand requests made from the OpenAPI document, as it describes them and nearly so. No answer is a fault of
// ours, none is missing, and each is one the document describes, in the form it describes. FUZZ_SEED repeats a run.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import fc from "fast-check";
import { openWallet } from "../harness/wallet.ts";
import type { Headers } from "./ask.ts";
import { type Description, readDescription } from "./described.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import {
  COIN_UNIT,
  describeWithProduct,
  keyHeader,
  PAYER,
  type Product,
  RECIPIENT,
  startProduct,
} from "./product.ts";
import { openTenant, type Side, type Tenant } from "./tenants.ts";
import { type Surroundings, type Wild, wildRequest } from "./wild-requests.ts";

const REQUESTS = 10_000;
/** Sent at a time. */
const TOGETHER = 25;
/** Of what can be deleted, so that some is always left. */
const DELETABLE = 40;
const TOKENS = 20;

describeWithProduct("the interface, whatever is asked of it", () => {
  let issuer: Issuer;
  let product: Product;
  let tenant: Tenant;
  let description: Description;
  let surroundings: Surroundings;

  beforeAll(async () => {
    issuer = await startIssuer();
    // A busy machine may let a service wait; that is not what is looked for.
    product = await startProduct({ GATEWAY_CALL_TIMEOUT_MS: "15000" });
    tenant = await openTenant(product, issuer, { name: "Wild", hundredths: 99n });
    description = await readDescription(product.ask);
    surroundings = await surroundingsOf(product, tenant);
  }, 120_000);
  afterAll(async () => {
    await product?.stop();
    await issuer?.stop();
  }, 60_000);

  test(`${REQUESTS} requests get an answer each, and every one is described`, async () => {
    const seed = Number(process.env.FUZZ_SEED ?? 20_261_121);
    const seen = new Set<string>();
    /** Each kind of fault once, with a request that shows it. */
    const found = new Map<string, string>();
    const ask = async (wild: Wild) => {
      const answer = await product.askOnly(wild.method, wild.path, wild);
      const operation = description.operations.find(({ name }) => name === wild.name);
      if (operation === undefined) throw new Error(`${wild.name} is not described`);
      const faults = description.faultsOf(operation, answer);
      for (const fault of faults) {
        const { status, text } = answer;
        found.set(`${wild.name}: ${fault}`, `${JSON.stringify(wild)}\n${status} ${text}`);
      }
      seen.add(`${wild.name} ${answer.status}`);
    };
    const requests = fc.array(wildRequest(description.operations, surroundings), {
      ...{ minLength: TOGETHER, maxLength: TOGETHER },
    });
    await fc.assert(
      fc.asyncProperty(requests, async (batch) => void (await Promise.all(batch.map(ask)))),
      { seed, numRuns: REQUESTS / TOGETHER, endOnFailure: true },
    );
    const succeeded = [...seen].filter((key) => / 20\d$/.test(key));
    process.stderr.write(
      `fuzz: seed ${seed}, ${REQUESTS} requests, ${seen.size} different outcomes, ` +
        `${succeeded.length} of ${description.operations.length} operations also succeeded\n`,
    );
    expect([...found].map(([fault, shown]) => `${fault}\n${shown}`)).toEqual([]);
    // It is no use to be refused at the door ten thousand times.
    const never = description.operations.filter(
      ({ name }) => !succeeded.some((key) => key.startsWith(`${name} `)),
    );
    expect(never.map(({ name }) => name)).toEqual([]);
  }, 300_000);
});

const surroundingsOf = async (product: Product, tenant: Tenant): Promise<Surroundings> => {
  const { live, test: trial } = tenant;
  const { chainId, tokenAddress } = product.credentials;
  const keys = await Promise.all(
    Array.from(
      { length: DELETABLE },
      async () => (await tenant.makeKey({ type: "publishable" })).id,
    ),
  );
  const restricted = await tenant.makeKey({ type: "secret", scopes: ["payments:read"] });
  const strange = ["pay", "cust", "refund"].map((prefix) => `${prefix}_${"0".repeat(24)}`);
  const id = (side: Side, prefix: keyof Side["ids"]) => [side.ids[prefix], ...strange];
  const order = { amount: "0.5", chainId, currency: "native", recipientAddress: RECIPIENT };
  const made = await Promise.all(
    Array.from({ length: 10 }, async () => (await live.as("POST", "/v1/payments", order)).body),
  );
  const customers = await Promise.all(
    Array.from({ length: DELETABLE }, async () => {
      return (await live.as("POST", "/v1/customers", { walletAddress: PAYER })).body.id;
    }),
  );
  const refundable = await paidPayment(product, live);
  const both = { ...keyHeader(live.secret), ...keyHeader(live.publishable) };
  const withSession = { ...keyHeader(live.publishable), authorization: `Bearer ${live.session}` };
  const often = (headers: Headers, times: number) => Array.from({ length: times }, () => headers);
  return {
    known: {
      token: await Promise.all(Array.from({ length: TOKENS }, () => live.ssoToken())),
      ...{ amount: ["1.5", "0.0001", "0.0002"], chainId: [chainId, chainId, 1, 424_242] },
      ...{ currency: ["native", tokenAddress], recipientAddress: [RECIPIENT] },
      ...{ walletAddress: [PAYER, RECIPIENT], destinationAddress: [PAYER], payerAddress: [PAYER] },
      ...{
        paymentId: [refundable, refundable, ...strange],
        customerId: id(live, "cust"),
        after: id(live, "pay"),
      },
      ...{ clientSecret: made.map(({ clientSecret }) => clientSecret), orderId: ["order-1"] },
      ...{ createdFrom: ["2026-01-01T00:00:00Z"], createdTo: ["2036-01-01T00:00:00.000Z"] },
      // No address is called that was not started here.
      ...{ callbackUrl: [null, "http://shop.example"], sso: [{ issuer: "x", audience: "y" }] },
      ...{
        type: ["secret", "publishable"],
        mode: ["live", "test"],
        expand: ["metadata", "status"],
      },
      ...{ txHash: [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`] },
    },
    ids: {
      pay: [
        ...made.map((payment) => payment.id),
        live.ids.pay,
        trial.ids.pay,
        strange[0] as string,
      ],
      ...{
        cust: [...customers, ...strange],
        refund: id(live, "refund"),
        key: [...keys, `key_${"0".repeat(24)}`],
      },
    },
    credentials: [
      ...often(both, 10),
      ...often(keyHeader(live.secret), 6),
      ...often(keyHeader(live.publishable), 3),
      ...often(withSession, 3),
      ...[keyHeader(trial.secret), keyHeader(trial.publishable), keyHeader(restricted.key), {}],
      ...[
        { "x-secret-key": "sk_live_x" },
        { "x-secret-key": "\u00e9" },
        { authorization: "Bearer x" },
      ],
    ],
  };
};

/** One more that is confirmed; whole refunds are only asked of the others, so parts of it can be refunded. */
const paidPayment = async ({ credentials }: Product, { as, chainId }: Side): Promise<string> => {
  const amount = "0.88";
  const order = { amount, chainId, currency: "native", recipientAddress: RECIPIENT };
  const { id } = (await as("POST", "/v1/payments", order)).body;
  const wallet = await openWallet(credentials);
  const txHash = await wallet.payNative(RECIPIENT, (88n * COIN_UNIT) / 100n);
  await as("POST", `/v1/payments/${id}/transaction`, { txHash });
  await until(async () => (await as("GET", `/v1/payments/${id}`)).body.status === "confirmed", {
    timeoutMs: 30_000,
    what: "the confirmed payment",
  });
  return id;
};
