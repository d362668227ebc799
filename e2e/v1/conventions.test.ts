// Conventions of REST APIs that merchants rely on, on every route and behind a proxy as in production: request ids,
// error codes, methods, browsers, HTTPS.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ROUTES, type Route } from "@pay/gateway";
import { until } from "@pay/testing";
import { type Answer, type Client, createClient, type Headers, refusal } from "./ask.ts";
import { ANSWERS, expectDocumented, expectFields, FIELDS } from "./documented.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { describeWithProduct, keyHeader, type Product, startProduct } from "./product.ts";
import { REQUESTS } from "./requests.ts";
import { openTenant, type Tenant } from "./tenants.ts";

/** The headers of the proxy in front, which terminates TLS and knows the client's address. */
const PROXY = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" };
const PAGE = "https://shop.example";
const STRANGE_PAGE = "https://evil.example";
const NO_HTTPS = refusal(403, "Forbidden", "HTTPS is required");

function getName({ method, path }: Route) {
  return `${method} ${path}`;
}

const NAMED = ROUTES.map((route) => ({ name: getName(route), route }));
const PATHS = [...new Set(ROUTES.map(({ path }) => path))].map((path) => ({
  path,
  routes: ROUTES.filter((route) => route.path === path),
}));
function isOpen({ auth, session }: Route) {
  return auth === "publishable" || session !== undefined;
}

function filled(path: string) {
  return path.replace("{chainId}", "31337").replace("{id}", `pay_${"0".repeat(24)}`);
}

test("every route has the documented fields of its answer", () => {
  expect(Object.keys(ANSWERS).sort()).toEqual(NAMED.map(({ name }) => name).sort());
});

describeWithProduct("the conventions", () => {
  let issuer: Issuer;
  let product: Product;
  let tenant: Tenant;
  /** As if there were no proxy. */
  let direct: Client;

  beforeAll(async () => {
    issuer = await startIssuer();
    product = await startProduct({ REQUIRE_HTTPS: "1", TRUST_PROXY: "1" }, PROXY);
    direct = createClient(product.credentials.baseUrl);
    tenant = await openTenant(product, issuer, { name: "Shop", hundredths: 70n });
    await tenant.live.as("PUT", "/v1/projects/me", {
      allowedOrigins: [PAGE, "https://*.preview.example"],
    });
  });
  afterAll(async () => {
    direct?.close();
    await product?.stop();
    await issuer?.stop();
  });

  function getKey({ auth }: Pick<Route, "auth">): Headers {
    const { secret, publishable } = tenant.live;
    return auth === "none" ? {} : keyHeader(auth === "secret" ? secret : publishable);
  }

  async function getSample(name: string) {
    const sample = await REQUESTS[name]?.sample(tenant.live);
    if (sample === undefined) throw new Error(`${name} has no sample`);
    return sample;
  }

  describe.each(NAMED)("$name", ({ name, route }) => {
    const { method } = route;

    test("returns the request's id, or a new id where the given one is not valid", async () => {
      const { path, body } = await getSample(name);
      // Refusals and answers behave alike; a refusal is faster.
      for (const headers of [{}, getKey(route)]) {
        const own = await product.ask(method, path, {
          headers: { ...headers, "x-request-id": "order-17.a:b_C" },
          body,
        });
        expect(own.headers["x-request-id"]).toBe("order-17.a:b_C");
      }
      const { headers } = await product.ask(method, path, { headers: { "x-request-id": "a b" } });
      expect(headers["x-request-id"]).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    });

    test("answers with exactly the documented fields, forbids caching and requires HTTPS", async () => {
      const { path, body } = await getSample(name);
      const { answers = route.success, keyAlone } = REQUESTS[name] ?? {};
      const session = { authorization: `Bearer ${tenant.live.session}` };
      const headers = { ...getKey(route), ...(keyAlone === undefined ? {} : session) };
      const answer = await product.ask(method, path, { headers, body });
      expect(answer.status).toBe(answers);
      if (answer.status === route.success) expectDocumented(name, answer.body);
      else expectFields(answer.body, FIELDS.error);
      expect(answer.headers).toMatchObject({
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "strict-transport-security": expect.stringContaining("max-age="),
      });
      expect(answer.headers).not.toHaveProperty("x-powered-by");
      expect(answer.headers).not.toHaveProperty("server");
    });

    test("is served in the version asked for, by itself in the project's, and in no other", async () => {
      const { path, body } = await getSample(name);
      function ask(headers: Headers) {
        return product.ask(method, path, { headers: { ...getKey(route), ...headers }, body });
      }

      const first = (await ask({})).headers["x-service-version"];
      expect(first).toMatch(/^\d{4}-\d\d-\d\d$/);
      const named = await ask({ "x-service-version": `${first}` });
      expect(named.headers["x-service-version"]).toBe(first);
      const message = `X-Service-Version must be one of ${first}`;
      const refused = await ask({ "x-service-version": "2020-01-01" });
      expect([refused.status, refused.body]).toEqual([400, refusal(400, "Bad Request", message)]);
    });

    test("is refused over plain HTTP, without a redirect", async () => {
      const { path, body } = await getSample(name);
      const { status, ...answer } = await direct.ask(method, path, {
        headers: getKey(route),
        body,
      });
      expect([status, answer.body, answer.headers.location]).toEqual([403, NO_HTTPS, undefined]);
    });
  });

  test.each(["http", "https, http", "http, https", ""])(
    "a request that came by %j is one over plain HTTP",
    async (proto) => {
      const headers = { ...keyHeader(tenant.live.secret), "x-forwarded-proto": proto };
      const { status, body } = await direct.ask("GET", "/v1/payments", { headers });
      expect([status, body]).toEqual([403, NO_HTTPS]);
    },
  );

  describe.each(PATHS)("$path", ({ path: template, routes }) => {
    const path = filled(template);
    const methods = routes.map(({ method }) => method as string);
    const allow = [
      ...methods.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each])),
      "OPTIONS",
    ];
    const open = routes.filter(isOpen).map(({ method }) => method as string);

    test("names its methods in the answer to OPTIONS and to every wrong method", async () => {
      const options = await product.ask("OPTIONS", path);
      expect([options.status, options.text, options.headers.allow]).toEqual([
        204,
        "",
        allow.join(", "),
      ]);
      for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "PROPFIND", "TRACE"]) {
        if (methods.includes(method)) continue;
        const { status, body, headers } = await product.ask(method, path);
        expect([method, status, body, headers.allow]).toEqual([
          method,
          405,
          refusal(405, "Method Not Allowed", "Method not allowed"),
          allow.join(", "),
        ]);
      }
    });

    test("answers HEAD like GET, without a body, or not at all", async () => {
      const get = routes.find(({ method }) => method === "GET");
      if (get === undefined) {
        expect((await product.ask("HEAD", path)).status).toBe(405);
        return;
      }
      const sample = await getSample(getName(get));
      for (const headers of [{}, getKey(get)]) {
        // What works in the background may change the resource between two requests.
        const [asked, head] = await until(async () => {
          const [before, head, after] = [
            await product.ask("GET", sample.path, { headers }),
            await product.ask("HEAD", sample.path, { headers }),
            await product.ask("GET", sample.path, { headers }),
          ];
          return before.text.length === after.text.length && ([before, head] as const);
        });
        expect([head.status, head.text]).toEqual([asked.status, ""]);
        function shown({ headers: all }: Answer) {
          return ["content-type", "content-length", "x-error-code", "cache-control"].map(
            (key) => all[key],
          );
        }

        expect(shown(head)).toEqual(shown(asked));
      }
    });

    test("accepts one spelling, and a slash behind it", async () => {
      const [plain, slashed] = [
        await product.ask("GET", path),
        await product.ask("GET", `${path}/`),
      ];
      expect([slashed.status, slashed.body]).toEqual([plain.status, plain.body]);
      for (const other of [path.toUpperCase(), `/${path}`, path.replace("/v1", "/v2")]) {
        const { status, body } = await product.ask("GET", other);
        expect([other, status, body]).toEqual([other, 404, refusal(404, "Not Found", "Not found")]);
      }
    });

    test("answers the preflight requests of browsers, and of no other client", async () => {
      for (const origin of [PAGE, STRANGE_PAGE, "null"]) {
        const { status, headers } = await product.ask("OPTIONS", path, {
          headers: {
            origin,
            "access-control-request-method": methods[0] as string,
            "access-control-request-headers": "x-publishable-key,content-type",
          },
        });
        expect(status).toBe(204);
        if (open.length === 0) {
          expect(pickCors(headers)).toEqual([]);
          continue;
        }
        expect(headers).toMatchObject({
          "access-control-allow-origin": origin,
          "access-control-allow-methods": open.join(", "),
          vary: "Origin",
        });
        expect(headers["access-control-allow-headers"]).not.toMatch(/secret-key/i);
        expect(headers).not.toHaveProperty("access-control-allow-credentials");
      }
    });
  });

  function pickCors(headers: Answer["headers"]) {
    return Object.keys(headers).filter((name) => name.startsWith("access-control-"));
  }

  describe.each(NAMED.filter(({ route }) => isOpen(route)))(
    "a page that calls $name",
    ({ name, route }) => {
      async function call(origin: string | undefined) {
        const { path, body } = await getSample(name);
        const { publishable, session } = tenant.live;
        const bearer = route.session ? { authorization: `Bearer ${session}` } : {};
        const from = origin === undefined ? {} : { origin };
        const headers = { ...keyHeader(publishable), ...bearer, ...from };
        return product.ask(route.method, path, { headers, body });
      }

      test.each([PAGE, "https://pr-7.preview.example"])("may, from %s", async (origin) => {
        const { status, headers } = await call(origin);
        expect([status, headers["access-control-allow-origin"], headers.vary]).toEqual([
          route.success,
          origin,
          "Origin",
        ]);
        expect(headers["access-control-expose-headers"]).toContain("X-Request-Id");
      });

      test.each([STRANGE_PAGE, "https://preview.example", "http://shop.example", "null"])(
        "may not, from %s",
        async (origin) => {
          const { status, body, headers } = await call(origin);
          expect([status, body]).toEqual([403, refusal(403, "Forbidden", "Origin is not allowed")]);
          expect(pickCors(headers)).toEqual([]);
        },
      );

      test("is no page without an Origin", async () => {
        const { status, headers } = await call(undefined);
        expect([status, pickCors(headers)]).toEqual([route.success, []]);
      });
    },
  );

  test.each(NAMED.filter(({ route }) => route.auth !== "publishable"))(
    "$name with the secret key shows browsers nothing",
    async ({ name, route }) => {
      const { path, body } = await getSample(name);
      for (const origin of [PAGE, STRANGE_PAGE]) {
        const headers = { ...getKey(route), origin };
        const answer = await product.ask(route.method, path, { headers, body });
        expect(pickCors(answer.headers)).toEqual([]);
      }
    },
  );

  test("a page beyond the first 100000 items is refused, and the message names what reaches them", async () => {
    const { as } = tenant.live;
    for (const list of ["payments", "customers", "refunds"]) {
      expect((await as("GET", `/v1/${list}?page=1000&limit=100`)).status).toBe(200);
      const far = await as("GET", `/v1/${list}?page=1001&limit=100`);
      expect([far.status, far.headers["x-error-code"]]).toEqual([400, "page_invalid"]);
      expect(JSON.stringify(far.body)).toContain("use after with the id of the last item");
    }
  });

  test("an error names its cause in a header", async () => {
    const { as, publishable } = tenant.live;
    const kinds: [Promise<Answer>, number, string][] = [
      [as("POST", "/v1/payments", {}), 400, "field_invalid"],
      [product.ask("GET", "/v1/payments"), 401, "api_key_invalid"],
      [direct.ask("GET", "/v1/payments"), 403, "https_required"],
      [as("GET", `/v1/payments/pay_${"0".repeat(24)}`), 404, "payment_not_found"],
      [product.ask("PATCH", "/v1/payments"), 405, "method_not_allowed"],
      [
        as("POST", `/v1/payments/${tenant.live.ids.pay}/transaction`, {
          txHash: `0x${"7".repeat(64)}`,
        }),
        409,
        "payment_confirmed",
      ],
      [
        product.ask("POST", "/v1/payments", {
          headers: keyHeader(tenant.live.secret),
          body: "x".repeat(200_000),
        }),
        413,
        "payload_too_large",
      ],
      [
        product.ask("POST", "/v1/payments", { headers: keyHeader(tenant.live.secret), body: "{}" }),
        415,
        "content_type_unsupported",
      ],
      [
        product.ask("GET", "/v1/chains", {
          headers: { ...keyHeader(publishable), "x-big": "x".repeat(20_000) },
        }),
        431,
        "headers_too_large",
      ],
    ];
    for (const [asked, status, code] of kinds) {
      const answer = await asked;
      expect([answer.status, answer.headers["x-error-code"]]).toEqual([status, code]);
    }
  });
});
