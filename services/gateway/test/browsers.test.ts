import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { register } from "prom-client";
import { ROUTES } from "../src/index.ts";
import { isOpenToPages } from "../src/pipeline/route.ts";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { PEPPER, SAME } from "./members.ts";

function buildPath(path: string) {
  return path.replace("{id}", `pay_${"A".repeat(24)}`).replace(/\{\w+\}/, "1");
}

function findAll(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found]) => found ?? "");
}

describeWithPostgres("browsers", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  beforeAll(async () => {
    gateway = await startTestGateway();
    shop = await gateway.addProject();
    const body = { allowedOrigins: ["https://shop.example", "https://*.preview.example"] };
    await gateway.ask("PUT", "/v1/projects/me", { headers: { "x-secret-key": shop.secret }, body });
  });
  afterAll(() => gateway.stop());

  function call(origin: string | undefined, key = shop.publishable) {
    return gateway.ask("GET", "/v1/chains", {
      headers: { "x-publishable-key": key, ...(origin === undefined ? {} : { origin }) },
    });
  }

  test.each(["https://shop.example", "https://pr-7.preview.example"])(
    "pages of %s, which is listed, may call and read the answer",
    async (origin) => {
      const { status, headers } = await call(origin);
      expect(status).not.toBe(403);
      expect(headers).toMatchObject({ "access-control-allow-origin": origin, vary: "Origin" });
      expect(headers["access-control-expose-headers"]).toContain("X-Request-Id");
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
    },
  );

  test.each([
    "https://evil.example",
    "http://shop.example",
    "https://shop.example.evil.example",
    "null",
  ])("pages of %s, which is not listed, are refused", async (origin) => {
    const { body, headers } = await call(origin);
    expect(body).toEqual(refusal(403, "Forbidden", "Origin is not allowed"));
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("a caller without an Origin is no browser and passes", async () => {
    expect((await call(undefined)).status).not.toBe(403);
  });

  test("a project without a list is open to every page", async () => {
    const other = await gateway.addProject();
    const { status, headers } = await call("https://any.example", other.publishable);
    expect(status).not.toBe(403);
    expect(headers["access-control-allow-origin"]).toBe("https://any.example");
  });

  test("a page can read why its key was refused", async () => {
    const { status, headers } = await call("https://any.example", "pk_live_wrong");
    expect(status).toBe(401);
    expect(headers["access-control-allow-origin"]).toBe("https://any.example");
  });

  describe.each([...new Set(ROUTES.map(({ path }) => path))])("%s", (path) => {
    const routes = ROUTES.filter((route) => route.path === path);
    const open = routes.some(isOpenToPages);
    const origin = "https://any.example";

    test(
      open ? "answers a preflight of every page" : "gives no permission in a preflight",
      async () => {
        const { status, headers, text } = await gateway.ask("OPTIONS", buildPath(path), {
          headers: { origin, "access-control-request-method": "POST" },
        });
        expect({ status, text }).toEqual({ status: 204, text: "" });
        expect(headers["access-control-allow-origin"]).toBe(open ? origin : undefined);
        expect(headers["access-control-allow-headers"]?.includes("X-Publishable-Key")).toBe(
          open || undefined,
        );
        for (const { method } of routes) expect(headers.allow).toContain(method);
      },
    );
  });

  test.each(
    ROUTES.filter(({ auth }) => auth === "secret").map(({ method, path }) => [method, path]),
  )("%s %s with a secret key never lets a page read", async (method, path) => {
    const { headers } = await gateway.ask(method, buildPath(path), {
      headers: { origin: "https://any.example", "x-secret-key": shop.secret },
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describeWithPostgres("the dashboard", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  test.each(["/dashboard", "/dashboard/payments", "/dashboard/payments/pay_1?mode=test"])(
    "%s gives the page, which is not stored and lets a style in by its nonce alone",
    async (path) => {
      const [first, second] = [await gateway.ask("GET", path), await gateway.ask("GET", path)];
      const nonces = [first, second].map(({ headers, text }) => {
        const policy = String(headers["content-security-policy"]);
        const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? "none";
        expect(text).toContain(`<meta property="csp-nonce" nonce="${nonce}" content="${nonce}">`);
        expect(policy).toContain("script-src 'self';");
        expect(policy).toContain("require-trusted-types-for 'script'");
        return nonce;
      });
      expect(nonces[0]).not.toBe(nonces[1]);
      expect(first.headers).toMatchObject({
        "cache-control": "no-store",
        "permissions-policy":
          "camera=(), geolocation=(), microphone=(), payment=(), publickey-credentials-get=(self)",
        "cross-origin-opener-policy": "same-origin-allow-popups",
      });
    },
  );

  test("the checkout's preview is framed by the dashboard alone, and sends nothing", async () => {
    const preview = await gateway.ask("GET", "/pay/preview");
    expect(preview.status).toBe(200);
    const policy = String(preview.headers["content-security-policy"]);
    for (const rule of ["connect-src 'none'", "form-action 'none'", "frame-ancestors 'self'"]) {
      expect(policy).toContain(rule);
    }
    const page = await gateway.ask("GET", `/pay/pay_${"A".repeat(24)}`);
    expect(page.text).toBe(preview.text);
    expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect((await gateway.ask("POST", "/pay/preview")).status).toBe(405);
  });

  test("browsers report what the policy of a page refused, and its directive alone is counted", async () => {
    const { headers } = await gateway.ask("GET", "/dashboard");
    expect(headers["reporting-endpoints"]).toBe('policy="/reports"');
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("trusted-types 'none'");
    expect(policy).toContain("report-to policy;report-uri /reports");
    async function report(type: string, body: unknown) {
      const sent = { "content-type": `application/${type}` };
      const options = { method: "POST", headers: sent, body: JSON.stringify(body) };
      return (await fetch(`http://${gateway.address}/reports`, options)).status;
    }

    async function count(directive: string) {
      const { values } = (await register
        .getSingleMetric("page_policy_violations_total")
        ?.get()) ?? {
        values: [],
      };
      return values.find(({ labels }) => labels.directive === directive)?.value ?? 0;
    }

    const [scripts, others] = [await count("script-src-elem"), await count("default-src")];
    const documentURL = "https://pay.example/pay/pay_1/h/ho_1";
    const seen = ["script-src-elem", "of-a-stranger"].map((effectiveDirective) => ({
      type: "csp-violation",
      body: { documentURL, effectiveDirective },
    }));
    expect(await report("reports+json", seen)).toBe(204);
    const older = { "csp-report": { "effective-directive": "script-src-elem" } };
    expect(await report("csp-report", older)).toBe(204);
    expect(await report("reports+json", Array(101).fill(seen[0]))).toBe(400);
    expect(await report("reports+json", { other: 1 })).toBe(400);
    expect(await report("json", seen)).toBe(415);
    expect(await count("script-src-elem")).toBe(scripts + 2);
    expect(await count("default-src")).toBe(others + 1);
    expect(await register.metrics()).not.toContain("of-a-stranger");
  });

  test("its pages name each script they need, and their files are kept and compressed", async () => {
    const pages: [string, RegExp][] = [
      ["/dashboard", /\/home-/],
      ["/dashboard/payments?status=created", /\/payments-/],
      [`/dashboard/payments/pay_${"A".repeat(24)}`, /\/payment-/],
      ["/dashboard/nowhere", /\/dashboard-/],
    ];
    for (const [path, script] of pages) {
      const { text } = await gateway.ask("GET", path);
      const files = findAll(text, /"(\/dashboard\/files\/[^"]+)"/g);
      expect(files.join()).toMatch(script);
      for (const file of files) {
        const { text: source } = await gateway.ask("GET", file);
        const imports = findAll(source, /(?:from|import)"\.(\/[\w-]+\.js)"/g);
        expect(files).toEqual(
          expect.arrayContaining(imports.map((name) => `/dashboard/files${name}`)),
        );
        const answer = await gateway.ask("GET", file, { headers: { "accept-encoding": "br" } });
        expect(answer).toMatchObject({
          status: 200,
          headers: {
            "cache-control": "public, max-age=31536000, immutable",
            "content-encoding": "br",
          },
        });
      }
    }
    expect(await gateway.ask("GET", "/dashboard/files/none.js")).toMatchObject({ status: 404 });
  });

  test("is at a host of its own where it has one, which has no page of a payment", async () => {
    const env = { DASHBOARD: "https://desk.example", PUBLIC_URL: "http://pay.example" };
    const apart = await startTestGateway({ env });
    try {
      async function read(host: string, path: string) {
        return (await apart.ask("GET", path, { headers: { host } })).status;
      }

      const payment = `/pay/pay_${"A".repeat(24)}`;
      expect(await read("desk.example", "/dashboard/sign-in")).toBe(200);
      for (const path of [payment, payment.replace("/pay_", "/%70ay_")]) {
        expect(await read("desk.example", path)).toBe(404);
      }
      expect(await read("pay.example", payment)).toBe(200);
      for (const path of [
        "/dashboard",
        "/dashboard/",
        "/dashboard/sign-in",
        "/dashboard/session",
      ]) {
        expect(await read("pay.example", path)).toBe(404);
      }
      const home = await apart.ask("GET", "/", { headers: { host: "pay.example" } });
      expect(home.text).toContain('href="https://desk.example/dashboard/sign-in"');
      const headers = { ...SAME, host: "desk.example" };
      const offer = await apart.ask("POST", "/dashboard/sign-in/options", { headers, body: {} });
      expect(offer.body.rpId).toBe("desk.example");
      expect(offer.headers["set-cookie"]?.[0]).toMatch(/^__Host-pay_passkey=/);
    } finally {
      await apart.stop();
    }
  });

  test("is gone where the operator switched it off", async () => {
    const without = await startTestGateway({ env: { DASHBOARD: "off" } });
    try {
      expect(await without.ask("GET", "/dashboard")).toMatchObject({ status: 404 });
      const { id } = await without.addProject();
      await without.pool.query(
        `with owner as (insert into members (id, email, name, created_at) values ('mem_1', 'a@shop.example', 'A', now()) returning id),
        joined as (insert into memberships (project_id, member_id, live_role, invited_by, created_at)
          select $1, id, 'owner', 'operator', now() from owner)
        insert into member_sessions (digest, member_id, method, created_at, seen_at) select $2, id, 'link', now(), now() from owner`,
        [
          id,
          createHmac("sha256", PEPPER)
            .update(`dash_${"A".repeat(43)}`)
            .digest(),
        ],
      );
      const headers = { ...SAME, cookie: `pay_8080=dash_${"A".repeat(43)}`, "x-project": id };
      const asMember = { headers: { ...headers, "x-service-mode": "live" } };
      expect(await without.ask("GET", "/v1/projects/me", asMember)).toMatchObject({ status: 401 });
    } finally {
      await without.stop();
    }
  });
});

describeWithPostgres("https", () => {
  test.each([
    ["1", "https", 200],
    ["1", "http", 403],
    ["1", undefined, 403],
    ["1", "https, http", 403],
    ["0", "https", 403],
  ])(
    "behind %s proxies, a request that came by %s is answered with %s",
    async (hops, proto, status) => {
      const gateway = await startTestGateway({
        env: { PUBLIC_URL: "https://pay.example", TRUST_PROXY: hops },
      });
      try {
        const { secret } = await gateway.addProject();
        const answer = await gateway.ask("GET", "/v1/projects/me", {
          headers: {
            "x-secret-key": secret,
            ...(proto === undefined ? {} : { "x-forwarded-proto": proto }),
          },
        });
        expect(answer.status).toBe(status);
        if (status === 403)
          expect(answer.body).toEqual(refusal(403, "Forbidden", "HTTPS is required"));
        expect(answer.headers["strict-transport-security"]).toBe("max-age=31536000");
      } finally {
        await gateway.stop();
      }
    },
  );
});
