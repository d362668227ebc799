// Known secrets and an erased person are used in a full run of the distributed form, with the most detailed log and
// with faults. Afterwards everything that the run wrote is searched for them: logs, metrics, spans, refusals,
// deliveries to merchants, every record of every topic, every column of every database.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Collector, describeWithKafka, startCollector, until } from "@pay/testing";
import { type Cluster, startCluster } from "../harness/distributed.ts";
import { type Merchant, openShop } from "../harness/merchant.ts";
import { openWallet } from "../harness/wallet.ts";
import { type Client, createClient, type Headers } from "./ask.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { COIN_UNIT, keyHeader, orderOn, PAYER, RECIPIENT } from "./product.ts";
import { type Provider, startProvider } from "./provider.ts";
import { columnTraces, findPlaces, type Trace, topicTraces } from "./traces.ts";

const DATABASES = ["chains", "customers", "payments", "refunds", "webhooks", "gateway"] as const;
/** A public value that the search must find; otherwise the search itself does not work. */
const CONTROL = "a-control-that-is-no-secret";
const SEPOLIA = 11_155_111;

describeWithKafka("secrets", () => {
  let cluster: Cluster;
  let issuer: Issuer;
  let provider: Provider;
  let collector: Collector;
  let client: Client;
  let shop: Merchant;
  const lines: string[] = [];
  const refusals: Trace[] = [];
  /** By what they are. */
  const secrets: Record<string, string[]> = {};
  let traces: Trace[] = [];

  function plant(what: string, ...values: string[]) {
    secrets[what] = [...(secrets[what] ?? []), ...values];
  }

  const providerKeys = { path: "canaryRpcPathKey4kXw", query: "canaryRpcQueryKey9pLz" };

  beforeAll(async () => {
    issuer = await startIssuer();
    provider = await startProvider(providerKeys);
    const elsewhere = { path: "canaryDeadPathKey7tRq", query: "canaryDeadQueryKey2mNb" };
    plant("a provider's key", ...Object.values(providerKeys), ...Object.values(elsewhere));
    const dead = `http://user:canaryRpcPassword@127.0.0.1:1/${elsewhere.path}?k=${elsewhere.query}`;
    plant("a provider's key", "canaryRpcPassword");
    collector = await startCollector();
    cluster = await startCluster(
      {
        LOG_LEVEL: "trace",
        ...collector.environment,
        CHAINS_PROVIDERS: JSON.stringify({
          31337: [provider.url],
          [SEPOLIA]: [dead, provider.url],
        }),
      },
      { onLine: (line) => lines.push(line) },
    );
    provider.leadTo(cluster.credentials.chainRpcUrl);
    client = createClient(cluster.credentials.baseUrl);
    shop = await openShop(cluster.credentials);
    await live();
    traces = await gather();
  });
  afterAll(async () => {
    client?.close();
    await shop?.receiver.stop();
    await cluster?.stop();
    await collector?.stop();
    await provider?.stop();
    await issuer?.stop();
  });

  async function ask(method: string, path: string, headers: Headers, body?: unknown) {
    const answer = await client.ask(method, path, { headers, ...(body !== undefined && { body }) });
    if (answer.status >= 400) {
      const content = Buffer.from(`${answer.text} ${JSON.stringify(answer.headers)}`);
      refusals.push({ place: "a refusal", content });
    }
    return answer;
  }

  async function live() {
    const { secretKey, publishableKey, webhookSecret } = cluster.credentials;
    plant("a secret key", secretKey);
    plant("a webhook secret", webhookSecret);
    plantOperatorsSecrets();
    const own = keyHeader(secretKey);
    await useKeys(own);
    await signIn(own, publishableKey);
    await pay(own, publishableKey);
    await eraseCustomer(own);
    await sendToWrongPlaces(own, publishableKey);
    await breakThings(own);
  }

  /** What the operator keeps in the environment. */
  function plantOperatorsSecrets() {
    const { environment } = cluster.product;
    for (const name of [
      "GATEWAY_KEY_PEPPER",
      "PAYMENTS_CLIENT_SECRET_KEYS",
      "WEBHOOKS_SECRET_KEYS",
      "GATEWAY_CALLER_TOKENS",
      "PAYMENTS_CALLER_TOKENS",
      "REFUNDS_CALLER_TOKENS",
      "CHAINS_CALLER_TOKENS",
    ]) {
      const value = environment[name] ?? "";
      plant("an operator's secret", value.replace(/^\d+:/, ""));
    }
    for (const name of DATABASES) {
      const url = environment[`${name.toUpperCase()}_DATABASE_URL`] ?? "";
      plant("a database's password", decodeURIComponent(new URL(url).password));
    }
  }

  async function useKeys(own: Headers) {
    const keys = "/v1/projects/me/keys";
    const repeatable = { ...own, "idempotency-key": "key-1" };
    for (const headers of [own, repeatable, repeatable]) {
      const { body } = await ask("POST", keys, headers, { type: "secret", mode: "live" });
      plant("a secret key", body.key);
    }
    const scopes = ["payments:read"];
    const restricted = (await ask("POST", keys, own, { type: "secret", mode: "live", scopes }))
      .body;
    const trial = (await ask("POST", keys, own, { type: "secret", mode: "test" })).body;
    const rolled = await ask("POST", `${keys}/${restricted.id}/roll`, own, { graceSeconds: 60 });
    plant("a secret key", restricted.key, trial.key, rolled.body.key);
    await ask("GET", "/v1/payments", keyHeader(restricted.key));
    // The last one of a mode stays.
    const kept = (await ask("POST", keys, own, { type: "secret", mode: "test" })).body;
    plant("a secret key", kept.key);
    await ask("DELETE", `${keys}/${trial.id}`, own);
    await ask("GET", "/v1/payments", keyHeader(trial.key));
    const guess = `sk_live_${"canaryGuess".padEnd(43, "Q")}`;
    plant("a key that was never made", guess);
    await ask("GET", "/v1/payments", keyHeader(guess));
  }

  async function signIn(own: Headers, publishableKey: string) {
    await ask("PUT", "/v1/projects/me", own, { sso: issuer.settings });
    const shopper = { subject: "canary-subject-of-the-shopper", wallet: PAYER };
    plant("a shopper's subject", shopper.subject);
    const repeatable = { ...own, "idempotency-key": "sign-in-1" };
    for (const headers of [own, repeatable]) {
      const token = await issuer.token(shopper);
      const [, , signature = ""] = token.split(".");
      plant("an SSO token", token, signature, `${token}x`);
      const { body } = await ask("POST", "/v1/auth/sso", headers, { token });
      plant("a session", body.sessionToken);
      await ask("POST", "/v1/auth/sso", headers, { token });
      await ask("POST", "/v1/auth/sso", own, { token: `${token}x` });
      const session = { authorization: `Bearer ${body.sessionToken}` };
      await ask("GET", "/v1/payments", { ...session, ...keyHeader(publishableKey) });
      await ask("GET", "/v1/payments", { ...session, ...own });
    }
    await ask("POST", "/v1/auth/sessions/revoke", own, { subject: shopper.subject });
  }

  async function pay(own: Headers, publishableKey: string) {
    const { chainId } = cluster.credentials;
    const headers = { ...own, "idempotency-key": "order-1" };
    const order = { ...orderOn(chainId), amount: "0.77", description: CONTROL };
    const { body } = await ask("POST", "/v1/payments", headers, order);
    const again = await ask("POST", "/v1/payments", headers, order);
    const wrong = `cs_live_${"canaryWrong".padEnd(43, "W")}`;
    plant("a client secret", body.clientSecret, again.body.clientSecret, wrong);
    const txHash = await shop.wallet.payNative(RECIPIENT, (77n * COIN_UNIT) / 100n);
    const path = `/v1/payments/${body.id}/confirm`;
    const open = keyHeader(publishableKey);
    provider.fail("refuses");
    await ask("POST", path, open, { clientSecret: wrong, txHash });
    await ask("POST", path, open, { clientSecret: body.clientSecret, txHash });
    provider.fail("breaks");
    await until(() => provider.calls.failed > 3, { timeoutMs: 120_000, what: "failing calls" });
    provider.fail(undefined);
    await shop.reaches(body.id, "confirmed");
    const refund = (await ask("POST", "/v1/refunds", own, { paymentId: body.id })).body.id;
    const merchant = await openWallet(cluster.credentials, 1);
    const paidBack = await merchant.payNative(shop.wallet.address, (77n * COIN_UNIT) / 100n);
    await ask("POST", `/v1/refunds/${refund}/transaction`, own, { txHash: paidBack });
    await shop.waitForDelivery("refund.completed", refund);
    const customer = { walletAddress: PAYER, displayName: CONTROL };
    const { id } = (await ask("POST", "/v1/customers", own, customer)).body;
    await shop.waitForDelivery("customer.created", id);
  }

  /** What the bus and the merchant have got of it cannot be taken back. */
  async function eraseCustomer(own: Headers) {
    const person = "canaryErasedPerson5vJn";
    plant("an erased person", person);
    const headers = { ...own, "idempotency-key": "customer-1" };
    const customer = {
      walletAddress: RECIPIENT,
      displayName: person,
      email: `${person}@shop.example`,
      metadata: { note: person },
    };
    const { id } = (await ask("POST", "/v1/customers", headers, customer)).body;
    await shop.waitForDelivery("customer.created", id);
    await ask("DELETE", `/v1/customers/${id}`, own);
    await until(
      async () => !(await ask("GET", "/v1/events?limit=100", own)).text.includes(person),
      { what: "stored events without the erased person" },
    );
  }

  /** Clients put secrets where they do not belong. */
  async function sendToWrongPlaces(own: Headers, publishableKey: string) {
    const values = Object.values(secrets).flat();
    const open = keyHeader(publishableKey);
    for (const value of values.filter((one) => /^(sk|rk|cs|sess|whsec)_/.test(one))) {
      await ask("GET", `/v1/payments?key=${value}`, own);
      await ask("GET", `/v1/payments?orderId=${value}`, own);
      await ask("GET", `/v1/payments/${value}`, own);
      await ask("GET", `/v1/${value}`, own);
      await ask("GET", "/v1/payments", { authorization: `Bearer ${value}` });
      await ask("GET", "/v1/payments", { "x-secret-key": `${value}x` });
      await ask("GET", "/v1/payments", { "x-publishable-key": value });
      await ask("GET", "/v1/chains", {
        ...open,
        cookie: `session=${value}`,
        "x-request-id": value,
      });
      await ask("GET", "/v1/payments", { ...own, "x-service-variant": value });
      await ask("POST", "/v1/payments", own, { amount: value, [value]: 1, currency: value });
      await ask(
        "POST",
        "/v1/payments",
        { ...own, "content-type": "application/json" },
        `{"${value}`,
      );
      await ask("POST", "/v1/payments", { ...own, "content-type": value }, "{}");
      await ask("POST", "/v1/auth/sso", own, { token: value });
      await ask("PUT", "/v1/projects/me", own, { callbackUrl: `https://${value}@shop.example` });
      await ask("OPTIONS", "/v1/chains", { origin: `https://${value}.example` });
      await ask("BREW", `/v1/payments/${value}`, own).catch(() => undefined);
    }
  }

  /** An unreachable service makes the others log errors. */
  async function breakThings(own: Headers) {
    const { children } = cluster.product;
    await children.get("refunds")?.kill();
    await until(async () => (await ask("GET", "/v1/refunds", own)).status === 503, {
      what: "an answer without refunds",
    });
    await cluster.product.restart("refunds");
    await until(async () => (await ask("GET", "/v1/refunds", own)).status === 200, {
      what: "refunds again",
    });
  }

  async function gather(): Promise<Trace[]> {
    const { children } = cluster.product;
    const columns = DATABASES.map((name) =>
      columnTraces(name, cluster.postgres.superuserUrl(name)),
    );
    const metrics = [...children.values()].map(async ({ name, adminUrl }) => {
      const answer = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(10_000) });
      return [{ place: `metrics of ${name}`, content: Buffer.from(await answer.text()) }];
    });
    const received = shop.receiver.all.map(({ rawHeaders, body, path }) => ({
      place: "a webhook",
      content: Buffer.from(`${path} ${rawHeaders.join(" ")} ${body}`),
    }));
    return [
      ...lines.map((line) => ({
        place: `log of ${line.slice(0, line.indexOf(" "))}`,
        content: Buffer.from(line),
      })),
      ...refusals,
      ...received,
      ...collector.exports.map((content) => ({ place: "spans", content })),
      ...(await topicTraces(cluster.kafka.brokers)),
      ...(await Promise.all([...columns, ...metrics])).flat(),
    ];
  }

  /** The places where a secret may be found. */
  const ALLOWED: Record<string, readonly string[]> = {
    "an erased person": ["a webhook", "topic customers.events.v1"],
  };

  test("were planted, and there is something to search", () => {
    const counts = Object.fromEntries(
      Object.entries(secrets).map(([what, values]) => [what, new Set(values).size]),
    );
    process.stderr.write(`canary: ${JSON.stringify(counts)} in ${traces.length} traces\n`);
    expect(counts).toMatchObject({ "a client secret": 2, "a session": 2 });
    for (const value of Object.values(secrets).flat()) expect(value.length).toBeGreaterThan(15);
    const kinds = new Set(traces.map(({ place }) => place.split(/[ :]/)[0]));
    expect([...kinds].sort()).toEqual(["a", "database", "log", "metrics", "spans", "topic"]);
    for (const name of DATABASES) {
      const logged = traces.filter(({ place }) => place === `log of ${name}`);
      expect([name, logged.length > 0]).toEqual([name, true]);
    }
    expect(refusals.length).toBeGreaterThan(100);
    // Calls that carried the keys, whether the provider answered them or not.
    expect(provider.calls.answered + provider.calls.failed).toBeGreaterThan(3);
  });

  test("public values are found, so the search works", () => {
    expect(findPlaces(traces, CONTROL)).toEqual(
      expect.arrayContaining([
        "a webhook",
        "database customers: customers.display_name",
        "database payments: payments.description",
        "database webhooks: events.body",
        "topic customers.events.v1",
      ]),
    );
    expect(findPlaces(traces, cluster.credentials.projectId)).toContain("log of gateway");
    expect(findPlaces(traces, cluster.credentials.projectId)).toContain("spans");
    expect(findPlaces(traces, "chain_rpc_errors_total")).toContain("metrics of chains");
  });

  describe("are in no trace", () => {
    test.each([
      "a secret key",
      "a key that was never made",
      "a webhook secret",
      "a client secret",
      "an SSO token",
      "a session",
      "a shopper's subject",
      "a provider's key",
      "an operator's secret",
      "a database's password",
      "an erased person",
    ])("%s", (what) => {
      const values = [...new Set(secrets[what])];
      expect(values).not.toEqual([]);
      for (const value of values) {
        // The part that is secret: what comes after the prefix.
        const core = value.replace(/^(sk|rk|cs)_(live|test)_|^(sess|whsec)_/, "");
        expect(findPlaces(traces, core)).toEqual(ALLOWED[what] ?? []);
      }
    });

    test("every planted kind is looked for", () => {
      expect(Object.keys(secrets)).toHaveLength(11);
    });
  });
});
