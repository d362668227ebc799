// Ten thousand requests made from the OpenAPI document, valid and nearly valid. Every request gets an answer, no answer
// is an internal error, and each has a form that the document describes. FUZZ_SEED repeats a run.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Receiver, startReceiver, until } from "@pay/testing";
import fc from "fast-check";
import { openWallet } from "../harness/wallet.ts";
import { type Description, type Operation, readDescription } from "./described.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { payBySignature, settleForServer, signPayment } from "./make-records.ts";
import {
  COIN_UNIT,
  describeWithProduct,
  ENDPOINT,
  keyHeader,
  PAYER,
  type Product,
  RECIPIENT,
  settlementOn,
  startProduct,
} from "./product.ts";
import { must, openTenant, patiently, type Side, type Tenant } from "./tenants.ts";
import { type Surroundings, type Wild, wildRequest } from "./wild-requests.ts";

const REQUESTS = 10_000;
/** Sent at a time. */
const TOGETHER = 25;
const ASK_AGAIN_MAX = 10;
/** So many requests take long where the machine has much else to do. */
const LIMIT_MS = 1_500_000;
/** Of what can be deleted, so that some is always left. */
const DELETABLE = 40;
const TOKENS = 20;
/** For operations that none of them has reached with what it needs. */
const REQUESTS_AFTER = 500;
const ROUNDS_AFTER = 6;
const PAYMENTS = 10;
const REFUNDS = 10;

describeWithProduct("the interface, whatever is asked of it", () => {
  let issuer: Issuer;
  let receiver: Receiver;
  let product: Product;
  let tenant: Tenant;
  let description: Description;
  let surroundings: Surroundings;

  beforeAll(async () => {
    issuer = await startIssuer();
    receiver = await startReceiver({ plain: true });
    product = await startProduct();
    const opened = await openTenant(product, issuer, { name: "Wild", hundredths: 98n });
    const { as, asOther } = opened.live;
    const live = { ...opened.live, as: patiently(as), asOther: patiently(asOther) };
    tenant = { ...opened, live };
    description = await readDescription(product.ask);
    surroundings = await makeSurroundings(product, tenant, receiver.url);
  });
  afterAll(async () => {
    await product?.stop();
    await receiver?.stop();
    await issuer?.stop();
  });

  test(
    `${REQUESTS} requests get an answer each, and every one is described`,
    async () => {
      const seed = Number(process.env.FUZZ_SEED ?? 20_261_121);
      const seen = new Set<string>();
      /** Each kind of fault once, with a request that shows it. */
      const found = new Map<string, string>();
      async function ask(wild: Wild) {
        let answer = await product.askOnly(wild.method, wild.path, wild);
        // A machine with too much to do may answer 503, which clients ask again; one that stays is a fault.
        for (let more = 0; answer.status === 503 && more < ASK_AGAIN_MAX; more++) {
          answer = await product.askOnly(wild.method, wild.path, wild);
        }
        const operation = description.operations.find(({ name }) => name === wild.name);
        if (operation === undefined) throw new Error(`${wild.name} is not described`);
        const faults = description.findFaults(operation, answer);
        for (const fault of faults) {
          const { status, text } = answer;
          found.set(`${wild.name}: ${fault}`, `${JSON.stringify(wild)}\n${status} ${text}`);
        }
        seen.add(`${wild.name} ${answer.status}`);
      }

      async function askAll(
        operations: readonly Operation[],
        around: Surroundings,
        { times, seed }: { times: number; seed: number },
      ) {
        const requests = fc.array(wildRequest(operations, around), {
          minLength: TOGETHER,
          maxLength: TOGETHER,
        });
        await fc.assert(
          fc.asyncProperty(requests, async (batch) => void (await Promise.all(batch.map(ask)))),
          { seed, numRuns: times / TOGETHER, endOnFailure: true },
        );
      }

      function succeeding() {
        return [...seen].filter((key) => / 20\d$/.test(key));
      }

      function neverSucceeded() {
        return description.operations.filter(
          ({ name }) => !succeeding().some((key) => key.startsWith(`${name} `)),
        );
      }

      await askAll(description.operations, surroundings, { times: REQUESTS, seed });
      // Random requests also cancel, refund and disable, so what an operation needs may be used up before it is asked
      // for.
      for (let round = 0; round < ROUNDS_AFTER && neverSucceeded().length > 0; round++) {
        await enableEndpoint(tenant, receiver.url);
        // Random settlements may have taken all that the wallet had, and refunds as much again.
        await paidPayment(product, tenant.live, { amount: "88", value: 88n * COIN_UNIT });
        const fresh = await withFreshThings(surroundings, tenant);
        // Each round asks something else.
        await askAll(neverSucceeded(), fresh, { times: REQUESTS_AFTER, seed: seed + 1 + round });
      }
      const succeeded = succeeding();
      process.stderr.write(
        `fuzz: seed ${seed}, ${REQUESTS} requests, ${seen.size} different outcomes, ` +
          `${succeeded.length} of ${description.operations.length} operations also succeeded\n`,
      );
      expect([...found].map(([fault, shown]) => `${fault}\n${shown}`)).toEqual([]);
      // Each operation must have succeeded at least once. Refusals alone would prove little.
      expect(neverSucceeded().map(({ name }) => name)).toEqual([]);
    },
    LIMIT_MS,
  );
});

async function makeSurroundings(
  product: Product,
  tenant: Tenant,
  receiverUrl: string,
): Promise<Surroundings> {
  const { live, test: trial } = tenant;
  const { chainId, tokenAddress } = product.credentials;
  const keys = await Promise.all(
    Array.from(
      { length: DELETABLE },
      async () => (await tenant.makeKey({ type: "publishable" })).id,
    ),
  );
  const restricted = await tenant.makeKey({ type: "secret", scopes: ["payments:read"] });
  const members = await Promise.all(
    Array.from({ length: DELETABLE }, async (_, nth) => {
      const body = { email: `wild-${nth}@shop.example` };
      return must(await live.as("POST", "/v1/members", body), 201).id as string;
    }),
  );
  const strange = ["pay", "cust", "refund", "stl", "dst", "tr"].map(
    (prefix) => `${prefix}_${"0".repeat(24)}`,
  );
  function id(side: Side, prefix: keyof Side["ids"]) {
    return [side.ids[prefix], ...strange];
  }

  const made = await openPayments(live);
  const customers = await Promise.all(
    Array.from({ length: DELETABLE }, async () => {
      return must(await live.as("POST", "/v1/customers", { walletAddress: PAYER }), 201).id;
    }),
  );
  const destinations = await Promise.all(
    Array.from({ length: DELETABLE }, async () => {
      const body = { chainId, address: `0x${randomBytes(20).toString("hex")}` };
      return must(await live.as("POST", "/v1/settlement-destinations", body), 201).id as string;
    }),
  );
  const settlements = await requestSettlements(live, 2 * DELETABLE);
  const approved = settlements.splice(0, DELETABLE);
  for (const id of approved) await live.as("POST", `/v1/settlements/${id}/approve`);
  // The default endpoint cannot be deleted.
  await live.as("PUT", "/v1/projects/me", { callbackUrl: receiverUrl });
  const endpoints: { id: string; isDefault: boolean }[] = (
    await live.as("GET", "/v1/webhook-endpoints?limit=100")
  ).body.data;
  const kept = endpoints.find(({ isDefault }) => isDefault)?.id as string;
  const pinged = (await live.as("POST", `/v1/webhook-endpoints/${kept}/ping`, {})).body;
  const path = `/v1/webhook-endpoints/${kept}/deliveries/${pinged.deliveryId}`;
  await until(async () => (await live.as("GET", path)).body.state === "delivered", {
    what: "the delivery of the ping",
  });
  const refundable = await paidPayment(product, live);
  // Random requests also cancel them.
  const refunds = await Promise.all(
    Array.from({ length: REFUNDS }, async () => {
      const body = { paymentId: refundable, amount: "0.0001", destinationAddress: PAYER };
      return (await live.as("POST", "/v1/refunds", body)).body.id as string;
    }),
  );
  const late = await latePayment(product, live);
  const both = { ...keyHeader(live.secret), ...keyHeader(live.publishable) };
  const withSession = { ...keyHeader(live.publishable), authorization: `Bearer ${live.session}` };

  return {
    known: {
      // What waits for a person, of more than one kind.
      id: [...refunds, ...settlements],
      token: await Promise.all(Array.from({ length: TOKENS }, () => live.ssoToken())),
      amount: ["1.5", "0.0001", "0.0002"],
      chainId: [chainId, chainId, 1, 424_242],
      currency: ["native", "native", tokenAddress],
      recipientAddress: [RECIPIENT],
      walletAddress: [PAYER, RECIPIENT],
      sourceAddress: [RECIPIENT],
      destinationAddress: [PAYER, live.treasury, live.treasury],
      address: [PAYER],
      payerAddress: [PAYER],
      paymentId: [refundable, refundable, ...often(live.ids.pay, 4), ...strange],
      refundId: [live.ids.refund],
      customerId: [live.ids.cust, ...id(live, "cust")],
      after: id(live, "pay"),
      clientSecret: made.map(({ clientSecret }) => clientSecret),
      orderId: ["order-1"],
      createdFrom: ["2026-01-01T00:00:00Z"],
      createdTo: ["2036-01-01T00:00:00.000Z"],
      // A day that is over, one that no year has, and one to come.
      day: ["2026-01-31", "2026-02-30", "2999-12-31"],
      // The product may call only addresses that this test has started.
      callbackUrl: [receiverUrl, "http://shop.example"],
      sso: [{ issuer: "x", audience: "y" }],
      type: ["secret", "publishable"],
      mode: ["live", "test"],
      url: [ENDPOINT.url, "http://shop.example"],
      eventId: [live.ids.evt],
      resourceId: [live.ids.pay],
      deliveryId: [pinged.deliveryId],
      since: ["2026-01-01T00:00:00Z"],
      state: ["delivered"],
      dryRun: [true],
      txHash: [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`],
    },
    ids: {
      pay: [
        ...made.map((payment) => payment.id),
        // A client secret among the credentials opens this one alone.
        ...Array.from({ length: 4 }, () => made[0]?.id as string),
        ...Array.from({ length: 5 }, () => live.ids.pay),
        ...Array.from({ length: 3 }, () => late),
        trial.ids.pay,
        strange[0] as string,
      ],
      cust: [...customers, ...strange],
      refund: [...refunds, ...id(live, "refund")],
      // It pays its payment already, so assigning it there once more changes nothing.
      tr: [...often(live.ids.tr, 6), "tr_000000000000000000000000"],
      stl: [...settlements, ...approved, ...strange],
      dst: [...destinations, ...strange],
      key: [...keys, `key_${"0".repeat(24)}`],
      mem: members,
      we: [...Array.from({ length: 6 }, () => kept), live.ids.we, `we_${"0".repeat(24)}`],
    },
    credentials: [
      ...often(both, 14),
      ...often(keyHeader(live.secret), 6),
      ...often(keyHeader(live.publishable), 3),
      ...often(withSession, 4),
      ...often({ "x-client-secret": made[0]?.clientSecret as string }, 6),
      keyHeader(trial.secret),
      keyHeader(trial.publishable),
      keyHeader(restricted.key),
      {},
      { "x-secret-key": "sk_live_x" },
      { "x-secret-key": "\u00e9" },
      { authorization: "Bearer x" },
    ],
  };
}

function often<T>(value: T, times: number): T[] {
  return Array.from({ length: times }, () => value);
}

interface OpenPayment {
  id: string;
  clientSecret: string;
}

function openPayments({ as, chainId }: Side): Promise<OpenPayment[]> {
  const order = { amount: "0.5", chainId, currency: "native", recipientAddress: RECIPIENT };
  return Promise.all(
    Array.from({ length: PAYMENTS }, async (_, nth) =>
      must(await as("POST", "/v1/payments", { ...order, depositAddresses: nth % 2 === 0 }), 201),
    ),
  );
}

/** The same, with payments that nothing was asked of yet, and the client secret of one of them as a credential. */
async function withFreshThings(
  { known, ids, credentials }: Surroundings,
  { live }: Tenant,
): Promise<Surroundings> {
  const made = await openPayments(live);
  const { id: signedId, body: signed } = await signPayment(live);
  const settled = await settleForServer(live);
  const paid = await payBySignature(live);
  const settlements = await requestSettlements(live, DELETABLE);
  const secret = made[0]?.clientSecret as string;
  return {
    known: {
      ...known,
      clientSecret: [
        ...made.map(({ clientSecret }) => clientSecret),
        ...often(signed.clientSecret, PAYMENTS),
      ],
      authorization: [signed.authorization],
      signature: [signed.signature],
      ...Object.fromEntries(Object.entries(settled).map(([name, value]) => [name, [value]])),
      ticket: [paid.ticket],
    },
    ids: {
      ...ids,
      pay: [
        ...(ids.pay ?? []),
        ...made.map(({ id }) => id),
        ...often(signedId, PAYMENTS),
        ...often(paid.id, PAYMENTS),
      ],
      stl: [...settlements, ...(ids.stl ?? [])],
    },
    credentials: credentials.map((headers) =>
      "x-client-secret" in headers ? { "x-client-secret": secret } : headers,
    ),
  };
}

/** With another key than the one that approves them; a payment fills the wallet a moment after it is confirmed. */
function requestSettlements(
  { asOther, chainId, treasury }: Side,
  length: number,
): Promise<string[]> {
  const request = { ...settlementOn(chainId), destinationAddress: treasury };
  return Promise.all(
    Array.from({ length }, () =>
      until(
        async () => {
          const { status, body } = await asOther("POST", "/v1/settlements", request);
          return status === 201 && (body.id as string);
        },
        { what: "a settlement of what the wallet has received" },
      ),
    ),
  );
}

/** A redelivery needs the default endpoint as it was at first. */
async function enableEndpoint({ live: { as } }: Tenant, callbackUrl: string): Promise<void> {
  await as("PUT", "/v1/projects/me", { callbackUrl });
  const { data } = (await as("GET", "/v1/webhook-endpoints?limit=100")).body;
  const { id } = data.find(({ isDefault }: { isDefault: boolean }) => isDefault);
  await as("PUT", `/v1/webhook-endpoints/${id}`, { enabled: true });
}

/** One more that is confirmed; whole refunds are only asked of the others, so parts of it can be refunded. */
async function paidPayment(
  { credentials }: Product,
  { as, chainId }: Side,
  { amount, value } = { amount: "0.88", value: (88n * COIN_UNIT) / 100n },
): Promise<string> {
  const order = { amount, chainId, currency: "native", recipientAddress: RECIPIENT };
  const { id } = (await as("POST", "/v1/payments", order)).body;
  const wallet = await openWallet(credentials);
  const txHash = await wallet.payNative(RECIPIENT, value);
  // A random request may have made the project hold what no wallet signed for.
  await as("POST", `/v1/payments/${id}/transaction`, { txHash, attribute: true });
  await until(async () => (await as("GET", `/v1/payments/${id}`)).body.status === "confirmed", {
    what: "the confirmed payment",
  });
  return id;
}

/** One that was cancelled and paid all the same, about which the merchant decides. */
async function latePayment({ credentials }: Product, { as, chainId }: Side): Promise<string> {
  const recipientAddress = `0x${"ca".repeat(20)}`;
  const order = { amount: "0.5", chainId, currency: "native", recipientAddress };
  const { id } = (await as("POST", "/v1/payments", order)).body;
  await as("POST", `/v1/payments/${id}/cancel`);
  const wallet = await openWallet(credentials);
  await wallet.payNative(recipientAddress, COIN_UNIT / 2n);
  await until(
    async () => {
      const { body } = await as("GET", `/v1/payments/${id}?expand=timeline`);
      return body.timeline.some(({ event }: { event: string }) => event === "paid_late");
    },
    { what: "the late transfer" },
  );
  return id;
}
