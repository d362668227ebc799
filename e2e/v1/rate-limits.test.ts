// Rate limits and the answers of a limited client: by project, by address of a page, by payment, by
// sign-in, by wrong key.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { limitRates, until } from "@pay/testing";
import { type Answer, refusal } from "./ask.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import {
  askWith,
  describeWithProduct,
  keyHeader,
  orderOn,
  type Product,
  startProduct,
} from "./product.ts";
import { openTenant, type Tenant } from "./tenants.ts";

/** The header of the proxy in front, which knows the client's address. */
const PROXY = { "x-forwarded-for": "203.0.113.7" };

describeWithProduct("rate limits", () => {
  let issuer: Issuer;
  let product: Product;
  let tenant: Tenant;

  beforeAll(async () => {
    issuer = await startIssuer();
    // So few a second that a machine which takes long for a burst cannot serve all of it.
    const limits = limitRates({
      test: { perSecond: 2, burst: 40 },
      wrongSecretsPerMinute: 3,
      addressPerSecond: 10,
      ssoPerSecond: 5,
      wrongKeysPerMinute: 4,
    });
    product = await startProduct({ ...limits, TRUST_PROXY: "1" }, PROXY);
    tenant = await openTenant(product, issuer, { name: "Shop", hundredths: 70n });
  });
  afterAll(async () => {
    await product?.stop();
    await issuer?.stop();
  });

  const LIMITED = refusal(429, "Too Many Requests", "Too many requests");

  function expectLimited({ status, body, headers }: Answer) {
    expect([status, body]).toEqual([429, LIMITED]);
    expect(headers).toMatchObject({
      "retry-after": expect.stringMatching(/^[1-9]\d*$/),
      "x-error-code": "rate_limited",
      "ratelimit-policy": expect.stringMatching(/^"\w+";q=\d+;w=\d+(, "\w+";q=\d+;w=\d+)*$/),
      ratelimit: expect.stringMatching(/^"\w+";r=\d+;t=\d+(, "\w+";r=\d+;t=\d+)*$/),
    });
  }

  function burst(count: number, ask: () => Promise<Answer>) {
    return Promise.all(Array.from({ length: count }, ask));
  }

  test("of a project's test mode limit requests, and end after their time", async () => {
    const { secretKey } = await product.createProject("Limited");
    const wanted = { type: "secret", mode: "test" };
    const { body } = await askWith(product.ask, secretKey)("POST", "/v1/projects/me/keys", wanted);
    const as = askWith(product.ask, body.key);
    const answers = await burst(150, () => as("GET", "/v1/payments?limit=1"));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(150);
    for (const answer of refused) expectLimited(answer);
    const [passed] = answers.filter(({ status }) => status === 200);
    expect(passed?.headers["ratelimit-policy"]).toBe('"project";q=40;w=20');
    expect(passed?.headers.ratelimit).toMatch(/^"project";r=\d+;t=\d+$/);
    // Other projects are not limited, and neither is this one after `Retry-After`.
    expect((await tenant.live.as("GET", "/v1/payments?limit=1")).status).toBe(200);
    await until(async () => (await as("GET", "/v1/payments?limit=1")).status === 200, {
      what: "a request that passes again",
    });
  });

  test("of pages count by address, as the proxy saw it", async () => {
    const { publishable } = tenant.live;
    function from(address: string) {
      return {
        headers: { ...keyHeader(publishable), "x-forwarded-for": address },
      };
    }

    // The client may write what it likes; the proxy adds what it saw.
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, at) =>
        product.ask("GET", "/v1/tokens", from(`198.51.100.${at % 250}, 203.0.113.50`)),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectLimited(answer);
    expect((await product.ask("GET", "/v1/tokens", from("203.0.113.51"))).status).toBe(200);
  });

  test("of wrong client secrets limit one payment from one address, and never limit a correct secret", async () => {
    const { as, chainId, publishable } = tenant.live;
    async function create() {
      return (await as("POST", "/v1/payments", orderOn(chainId))).body;
    }

    const [one, other] = [await create(), await create()];
    function confirm({ id, clientSecret }: { id: string; clientSecret: string }, from: string) {
      const body = { clientSecret, txHash: `0x${"6".repeat(64)}` };
      const headers = { ...keyHeader(publishable), "x-forwarded-for": from };
      return product.ask("POST", `/v1/payments/${id}/confirm`, { headers, body });
    }

    const wrong = { ...one, clientSecret: other.clientSecret };
    for (let at = 0; at < 3; at++) {
      expect((await confirm(wrong, "2001:db8::60")).status).toBe(403);
    }
    const refused = await confirm(wrong, "2001:db8::61");
    expectLimited(refused);
    expect(refused.headers["ratelimit-policy"]).toContain('"payment";q=3;w=60');
    expect((await confirm(other, "2001:db8::60")).status).toBe(200);
    for (let at = 0; at < 5; at++) {
      expect((await confirm(one, "203.0.113.60")).status).toBe(200);
    }
  });

  test("of wrong keys limit one address", async () => {
    function guess(at: number) {
      const headers = { "x-secret-key": `sk_live_${at}`, "x-forwarded-for": "203.0.113.70" };
      return product.ask("GET", "/v1/projects/me", { headers });
    }

    const statuses: number[] = [];
    for (let at = 0; at < 5; at++) statuses.push((await guess(at)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 429]);
    expectLimited(await guess(9));
    expect((await tenant.live.as("GET", "/v1/projects/me")).status).toBe(200);
  });

  test("of sign-ins limit requests", async () => {
    function exchange() {
      return tenant.live.as("POST", "/v1/auth/sso", { token: "none" });
    }

    const answers = await burst(300, exchange);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectLimited(answer);
  });
});
