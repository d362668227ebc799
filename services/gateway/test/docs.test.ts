import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { ROUTES } from "../src/index.ts";
import { startTestGateway, type TestGateway } from "./gateway.ts";

describeWithPostgres("the documentation", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      clock: { now: () => new Date("2026-01-01T00:00:00.000Z") },
      env: { SECURITY_CONTACT: "mailto:security@pay.example" },
    });
  });
  afterAll(() => gateway.stop());

  test("the document of the interface needs no key and names every route", async () => {
    const { status, body } = await gateway.ask("GET", "/v1/openapi.json");
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: "3.1.0", servers: [{ url: "http://127.0.0.1:8080" }] });
    const named = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = ROUTES.filter(({ auth }) => auth !== "none");
    expect(named.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test("the document is sent compressed where that is accepted, and not again while it is the same", async () => {
    // It unpacks what it gets, and says how it came.
    function read(headers: Record<string, string>) {
      return fetch(`http://${gateway.address}/v1/openapi.json`, { headers });
    }

    const plain = await read({ "accept-encoding": "gzip;q=0, identity" });
    const packed = await read({ "accept-encoding": "gzip, br" });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("vary")).toBe("Accept-Encoding");
    const text = await plain.text();
    expect(await packed.text()).toBe(text);
    expect(Number(packed.headers.get("content-length"))).toBeLessThan(text.length / 5);
    const tags = [plain, packed].map(({ headers }) => headers.get("etag") ?? "");
    expect(new Set(tags).size).toBe(2);
    const [tag = ""] = tags;
    const again = await read({ "accept-encoding": "identity", "if-none-match": tag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("the page and all its files come from the gateway, and it has no inline script", async () => {
    const page = await gateway.ask("GET", "/docs");
    expect(page).toMatchObject({ status: 200 });
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers["content-security-policy"]).toContain("script-src 'none'");
    expect(page.headers["permissions-policy"]).toContain("payment=()");
    expect(page.text).not.toMatch(/<script|onload=|(?:src|href)="https?:/);
    const links = [...page.text.matchAll(/(?:src|href)="(\/[^"#]*)[^"]*"/g)];
    const parts = new Set(links.map(([, path]) => path ?? ""));
    expect([...parts].sort()).toEqual([
      "/",
      "/docs",
      "/docs/errors",
      expect.stringMatching(/^\/pay\/files\/geist-\w+\.woff2$/),
      expect.stringMatching(/^\/pay\/files\/site-\w+\.css$/),
      "/v1/openapi.json",
    ]);
    for (const path of parts) {
      expect(await gateway.ask("GET", path)).toMatchObject({ status: 200 });
    }
  });

  test("every code of a refusal has its place on the page of errors, and is linked to", async () => {
    const [reference, errors] = [
      await gateway.ask("GET", "/docs"),
      await gateway.ask("GET", "/docs/errors"),
    ];
    const linked = [...reference.text.matchAll(/href="\/docs\/errors#(\w+)"/g)].map(
      ([, code]) => code,
    );
    expect(linked.length).toBeGreaterThan(100);
    for (const code of new Set(linked)) expect(errors.text).toContain(`<article id="${code}">`);
  });

  test("security.txt says where faults are reported, and is absent where nobody is named", async () => {
    const { status, headers, text } = await gateway.ask("GET", "/.well-known/security.txt");
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(text.split("\n")).toEqual([
      "Contact: mailto:security@pay.example",
      "Expires: 2026-01-31T00:00:00.000Z",
      "Canonical: http://127.0.0.1:8080/.well-known/security.txt",
      "",
    ]);
    expect((await gateway.ask("POST", "/.well-known/security.txt")).status).toBe(405);
    const unnamed = await startTestGateway();
    try {
      expect((await unnamed.ask("GET", "/.well-known/security.txt")).status).toBe(404);
    } finally {
      await unnamed.stop();
    }
  });

  test("programs that read for people find the guide", async () => {
    const guide = await gateway.ask("GET", "/llms.txt");
    expect([guide.status, guide.headers["content-type"]]).toEqual([
      200,
      "text/plain; charset=utf-8",
    ]);
    expect(guide.text).toContain("/v1/openapi.json");
  });

  test("there is nothing else below it", async () => {
    for (const path of ["/docs/x", "/docs/index.html", "/docs/../package.json", "/docs/%2e%2e/x"]) {
      expect(await gateway.ask("GET", path)).toMatchObject({ status: 404 });
    }
    expect(await gateway.ask("POST", "/docs")).toMatchObject({ status: 405 });
  });

  test("the first page leads there, and so does the address with a slash at its end", async () => {
    const home = await gateway.ask("GET", "/");
    expect(home).toMatchObject({ status: 200 });
    const parts = [...home.text.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path ?? "");
    expect(parts).toEqual(expect.arrayContaining(["/docs", "/v1/openapi.json"]));
    for (const path of parts) {
      expect(await gateway.ask("GET", path)).toMatchObject({ status: 200 });
    }
    expect(await gateway.ask("GET", "/docs/")).toMatchObject({ status: 200 });
  });
});
