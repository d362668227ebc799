// The attack of one actor on each resource that the page of shares lists, by the resource's name there.
import { randomBytes } from "node:crypto";
import type { Attack } from "./attacker.ts";
import { type Actor, type Measure, type NeighbourStage, orderOn } from "./neighbour-stage.ts";

interface Prepared extends Pick<Attack, "requests" | "ratePerS" | "streams"> {
  /** What of the merchants is measured; requests by default. */
  measure?: Measure;
  begin?(): Promise<unknown>;
  end?(): Promise<unknown>;
}

type Prepare = (actor: Actor, stage: NeighbourStage) => Prepared | Promise<Prepared>;

const ADDRESS = "198.51.100.7";
const PAY_PAGE = `/pay/pay_${"A".repeat(24)}`;
const SOME = 200;

interface Wanted {
  method?: string;
  headers?: Record<string, string>;
  body?: object;
}

/** The bytes of a request from the actor's address. */
function write(path: string, { method = "GET", headers = {}, body }: Wanted = {}): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const all: Record<string, string> = {
    Host: "127.0.0.1",
    "X-Forwarded-For": ADDRESS,
    ...headers,
    ...(body && { "Content-Type": "application/json" }),
    "Content-Length": `${Buffer.byteLength(text)}`,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", text].join("\r\n");
}

function bySecret({ secretKey }: Actor): Record<string, string> {
  return { "X-Secret-Key": secretKey };
}

function byPublishable({ publishableKey }: Actor): Record<string, string> {
  return { "X-Publishable-Key": publishableKey };
}

function some<A>(make: (at: number) => A): A[] {
  return Array.from({ length: SOME }, (_, at) => make(at));
}

function hash(): string {
  return `0x${randomBytes(32).toString("hex")}`;
}

interface NewPayment {
  id: string;
  clientSecret: string;
}

async function createPayment(actor: Actor, { chainId }: NeighbourStage, change = {}) {
  const body = { ...orderOn(chainId), ...change };
  return (await actor.ask("POST", "/v1/payments", body)) as unknown as NewPayment;
}

interface Health {
  tokens: [{ address: string }];
}

/** Well formed, so that the chain is asked about it. */
function signAtRandom({ chainId }: NeighbourStage) {
  const authorization = {
    from: `0x${randomBytes(20).toString("hex")}`,
    to: orderOn(chainId).recipientAddress,
    value: "1500000",
    validAfter: "0",
    validBefore: `${Math.floor(Date.now() / 1_000) + 300}`,
    nonce: hash(),
  };
  const payload = { signature: `0x${randomBytes(65).toString("hex")}`, authorization };
  const accepted = { scheme: "exact", network: `eip155:${chainId}` };
  return { x402Version: 2, accepted, payload };
}

/** Its whole sum came from a funded account. */
async function createPaid(actor: Actor, stage: NeighbourStage): Promise<string> {
  const { id } = await createPayment(actor, stage);
  const [from] = (await stage.callChain("eth_accounts", [])) as string[];
  const { recipientAddress: to } = orderOn(stage.chainId);
  const value = `0x${(15n * 10n ** 17n).toString(16)}`;
  const txHash = await stage.callChain("eth_sendTransaction", [{ from, to, value }]);
  await actor.ask("POST", `/v1/payments/${id}/transaction`, { txHash, attribute: true });
  return id;
}

/** What was paid for it is final. */
async function createConfirmed(actor: Actor, stage: NeighbourStage): Promise<string> {
  const id = await createPaid(actor, stage);
  for (let tries = 0; tries < 600; tries++) {
    await stage.callChain("evm_mine", []);
    const { status } = await actor.ask("GET", `/v1/payments/${id}`);
    if (status === "confirmed") return id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the payment of the attacker was not confirmed");
}

/** As many endpoints as a project may have, without its own. */
const ENDPOINTS = 19;

/** Each payment of the actor is an event for all of its endpoints. */
function flood(getUrl: (stage: NeighbourStage) => string): Prepare {
  return (actor, stage) => {
    const ids: string[] = [];
    const create = { method: "POST", headers: bySecret(actor), body: orderOn(stage.chainId) };
    return {
      measure: "deliveries",
      ratePerS: 50,
      requests: [write("/v1/payments", create)],
      begin: async () => {
        for (let at = 0; at < ENDPOINTS; at++) {
          const url = `${getUrl(stage)}?${at}`;
          const { id } = await actor.ask("POST", "/v1/webhook-endpoints", { url });
          ids.push(id as string);
        }
      },
      end: async () => {
        for (const id of ids.splice(0)) await actor.ask("DELETE", `/v1/webhook-endpoints/${id}`);
      },
    };
  };
}

export const ATTACKS: Readonly<Record<string, Prepare>> = {
  requests: (actor) => ({
    ratePerS: 200,
    requests: ["me", "me/keys"].map((name) =>
      write(`/v1/projects/${name}`, { headers: bySecret(actor) }),
    ),
  }),
  "requests to a route": (actor) => ({
    ratePerS: 200,
    requests: [write("/v1/payments?limit=100", { headers: bySecret(actor) })],
  }),
  "requests with a publishable key": (actor) => ({
    ratePerS: 200,
    requests: [write("/v1/tokens", { headers: byPublishable(actor) })],
  }),
  "pages and logos": () => ({ ratePerS: 200, requests: [write(PAY_PAGE), write("/docs")] }),
  "files of pages": () => ({ ratePerS: 200, requests: [write("/pay/files/none.js")] }),
  "wrong keys": () => ({
    ratePerS: 200,
    requests: some((at) =>
      write("/v1/payments", { headers: { "X-Secret-Key": `sk_live_${at}${hash()}` } }),
    ),
  }),
  "wrong client secrets": async (actor, stage) => {
    const { id, clientSecret } = await createPayment(actor, stage);
    const body = { clientSecret: `${clientSecret.slice(0, -1)}_`, txHash: hash() };
    const wanted = { method: "POST", headers: byPublishable(actor), body };
    return { ratePerS: 200, requests: [write(`/v1/payments/${id}/confirm`, wanted)] };
  },
  "sign-ins": (actor) => ({
    ratePerS: 200,
    requests: [
      write("/v1/auth/sso", { method: "POST", headers: bySecret(actor), body: { token: "none" } }),
    ],
  }),
  "streams of a payment": async (actor, stage) => {
    const { id, clientSecret } = await createPayment(actor, stage);
    const headers = { "X-Client-Secret": clientSecret };
    const open = { headers: { ...headers, Accept: "text/event-stream" } };
    const change = (at: number) => ({
      method: "POST",
      headers: byPublishable(actor),
      body: { clientSecret, payerAddress: `0x${`${at % 10}`.repeat(40)}` },
    });
    return {
      // Each change is sent to all streams.
      ratePerS: 40,
      requests: some((at) => write(`/v1/payments/${id}/payer`, change(at))),
      streams: some(() => write(`/v1/payments/${id}/status`, open)),
    };
  },
  "streams of events": (actor) => ({
    streams: some(() =>
      write("/v1/events/stream", {
        headers: { ...bySecret(actor), Accept: "text/event-stream" },
      }),
    ),
  }),
  "statements at a time": (actor) => ({
    ratePerS: 200,
    requests: [write("/v1/statements/2026-01-01", { headers: bySecret(actor) })],
    streams: some(() => write("/v1/statements/2026-01-02", { headers: bySecret(actor) })),
  }),
  "payers of HTTP 402 that wait for a block": async (actor, stage) => {
    const [chain] = (await actor.ask("GET", "/v1/chains/health")) as unknown as [Health];
    const [token] = chain.tokens;
    const change = { currency: token.address, depositAddresses: false };
    const { id, clientSecret } = await createPayment(actor, stage, change);
    return {
      ratePerS: 200,
      requests: some(() => {
        const signed = Buffer.from(JSON.stringify(signAtRandom(stage))).toString("base64");
        const headers = { "X-Client-Secret": clientSecret, "PAYMENT-SIGNATURE": signed };
        return write(`/v1/payments/${id}/x402`, { headers });
      }),
    };
  },
  "look-ups of absent logos": () => ({
    ratePerS: 200,
    requests: some(() => write(`/pay/logos/${hash().slice(2)}`)),
  }),
  "log lines of strangers": () => ({ ratePerS: 200, requests: [write("/v1/payments")] }),
  connections: () => ({
    streams: Array.from(
      { length: 1_000 },
      () => "GET /v1/payments HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    ),
  }),
  "a request": (actor) => ({
    ratePerS: 100,
    requests: [
      write("/v1/payments", {
        method: "POST",
        headers: bySecret(actor),
        body: { metadata: Object.fromEntries(some((at) => [`key${at}`, "x".repeat(450)])) },
      }),
      write("/v1/payments", {
        method: "POST",
        headers: bySecret(actor),
        body: { metadata: "x".repeat(120_000) },
      }),
    ],
  }),
  "submitted hashes": async (actor, stage) => {
    const { id } = await createPayment(actor, stage);
    const submit = () => ({ method: "POST", headers: bySecret(actor), body: { txHash: hash() } });
    const requests = some(() => write(`/v1/payments/${id}/transaction`, submit()));
    return { ratePerS: 200, requests };
  },
  refunds: async (actor, stage) => {
    const body = { paymentId: await createConfirmed(actor, stage), amount: "0.000001" };
    const wanted = { method: "POST", headers: bySecret(actor), body };
    return { ratePerS: 200, requests: [write("/v1/refunds", wanted)] };
  },
  "error texts of providers": (_, { provider }) => ({
    begin: async () => {
      provider.isBroken = true;
    },
    end: async () => {
      provider.isBroken = false;
    },
  }),
  "wallets that are screened": async (actor, stage) => {
    const screening = { url: stage.receivers.hanging, onFail: "review" };
    await actor.ask("PUT", "/v1/projects/me", { screening });
    return {
      begin: async () => {
        for (let paid = 0; paid < 20; paid++) await createPaid(actor, stage);
        await stage.callChain("evm_mine", []);
      },
    };
  },
  "regular expressions": (actor, { chainId }) => ({
    ratePerS: 100,
    requests: ["1,", "a.", " \t", "0x", "%", "("].map((filling) =>
      write("/v1/payments", {
        method: "POST",
        headers: bySecret(actor),
        body: {
          ...orderOn(chainId),
          amount: filling.repeat(8_000),
          description: filling.repeat(8_000),
          returnUrl: `https://${filling.repeat(8_000)}`,
        },
      }),
    ),
  }),
  endpoints: (actor, { receivers }) => ({
    ratePerS: 200,
    requests: some((at) =>
      write("/v1/webhook-endpoints", {
        method: "POST",
        headers: bySecret(actor),
        body: { url: `${receivers.hanging}?${at}`, events: ["payment.refunded"] },
      }),
    ),
  }),
  "deliveries in memory": flood(({ receivers }) => receivers.hanging),
  "calls to slow receivers": flood(({ receivers }) => receivers.slow),
};
