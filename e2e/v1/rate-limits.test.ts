// How much is too much, and how a client is told: by project, by address of a page, by payment, by sign-in.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { type Answer, refusal } from "./ask.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { describeWithProduct, keyHeader, orderOn, type Product, startProduct } from "./product.ts";
import { openTenant, type Tenant } from "./tenants.ts";

/** What the proxy in front adds; it knows who called. */
const PROXY = { "x-forwarded-for": "203.0.113.7" };

describeWithProduct("rate limits", () => {
  let issuer: Issuer;
  let product: Product;
  let tenant: Tenant;

  beforeAll(async () => {
    issuer = await startIssuer();
    const limits = {
      RATE_LIMIT_TEST_PER_SECOND: "20",
      RATE_LIMIT_TEST_BURST: "40",
      RATE_LIMIT_CONFIRM_PER_MINUTE: "3",
      RATE_LIMIT_ADDRESS_PER_SECOND: "30",
      RATE_LIMIT_SSO_PER_SECOND: "5",
    };
    product = await startProduct({ ...limits, TRUST_PROXY: "1" }, PROXY);
    tenant = await openTenant(product, issuer, { name: "Shop", hundredths: 70n });
  }, 120_000);
  afterAll(async () => {
    await product?.stop();
    await issuer?.stop();
  }, 60_000);

  const LIMITED = refusal(429, "Too Many Requests", "Too many requests");

  const expectLimited = ({ status, body, headers }: Answer) => {
    expect([status, body]).toEqual([429, LIMITED]);
    expect(headers).toMatchObject({
      "retry-after": expect.stringMatching(/^[1-9]\d*$/),
      "x-error-code": "resource_exhausted",
      "ratelimit-policy": expect.stringMatching(/^"\w+";q=\d+;w=\d+(, "\w+";q=\d+;w=\d+)*$/),
      ratelimit: expect.stringMatching(/^"\w+";r=\d+;t=\d+(, "\w+";r=\d+;t=\d+)*$/),
    });
  };
  const burst = (count: number, ask: () => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, ask));

  test("of a project's test mode hold, and let go again", async () => {
    const { as } = tenant.test;
    await as("GET", "/v1/projects/me");
    const answers = await burst(150, () => as("GET", "/v1/payments?limit=1"));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(150);
    for (const answer of refused) expectLimited(answer);
    const [passed] = answers.filter(({ status }) => status === 200);
    expect(passed?.headers["ratelimit-policy"]).toBe('"project";q=40;w=2');
    expect(passed?.headers.ratelimit).toMatch(/^"project";r=\d+;t=\d+$/);
    // Nobody else is held up, and neither is this one after the time it was told.
    expect((await tenant.live.as("GET", "/v1/payments?limit=1")).status).toBe(200);
    await until(async () => (await as("GET", "/v1/payments?limit=1")).status === 200, {
      timeoutMs: 5_000,
      what: "a request that passes again",
    });
  });

  test("of pages count by address, as the proxy saw it", async () => {
    const { publishable } = tenant.live;
    const from = (address: string) => ({
      headers: { ...keyHeader(publishable), "x-forwarded-for": address },
    });
    // The client may write what it likes; the proxy adds what it saw.
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, at) =>
        product.ask("GET", "/v1/tokens", from(`198.51.100.${at}, 203.0.113.50`)),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectLimited(answer);
    expect((await product.ask("GET", "/v1/tokens", from("203.0.113.51"))).status).toBe(200);
  });

  test("of one payment's confirmations hold for that payment alone", async () => {
    const { as, chainId, publishable } = tenant.live;
    const confirm = async () => {
      const { id, clientSecret } = (await as("POST", "/v1/payments", orderOn(chainId))).body;
      const body = { clientSecret, txHash: `0x${"6".repeat(64)}` };
      const headers = { ...keyHeader(publishable), "x-forwarded-for": "203.0.113.60" };
      return () => product.ask("POST", `/v1/payments/${id}/confirm`, { headers, body });
    };
    const [one, other] = [await confirm(), await confirm()];
    for (let at = 0; at < 3; at++) expect((await one()).status).toBe(200);
    const refused = await one();
    expectLimited(refused);
    expect(refused.headers["ratelimit-policy"]).toContain('"payment";q=3;w=60');
    expect((await other()).status).toBe(200);
  });

  test("of sign-ins hold", async () => {
    const exchange = () => tenant.live.as("POST", "/v1/auth/sso", { token: "none" });
    const answers = await burst(30, exchange);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectLimited(answer);
  });
});
