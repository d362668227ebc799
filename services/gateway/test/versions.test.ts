import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { ROUTES } from "../src/index.ts";
import { NEWEST_VERSION } from "../src/pipeline/versions.ts";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

describeWithPostgres("versions of the interface", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  beforeAll(async () => {
    gateway = await startTestGateway();
    shop = await gateway.addProject();
  });
  afterAll(() => gateway.stop());

  function keys(auth: string) {
    return {
      ...(auth === "secret" && { "x-secret-key": shop.secret }),
      ...(auth === "publishable" && { "x-publishable-key": shop.publishable }),
    };
  }

  function me(headers: Record<string, string | string[]> = {}) {
    return gateway.ask("GET", "/v1/projects/me", { headers: { ...keys("secret"), ...headers } });
  }

  const UNKNOWN = refusal(400, "Bad Request", `X-Service-Version must be one of ${NEWEST_VERSION}`);

  describe.each(ROUTES.map((route) => ({ ...route, name: `${route.method} ${route.path}` })))(
    "$name",
    ({ method, path, auth, id }) => {
      const to = path.replace("{id}", `${id?.prefix}_${"A".repeat(24)}`).replace(/\{\w+\}/, "1");
      function ask(headers: Record<string, string>) {
        return gateway.ask(method, to, {
          headers: { ...keys(auth), ...headers },
          ...((method === "POST" || method === "PUT") && { body: {} }),
        });
      }

      test("answers in the version asked for, else in the project's, and in no other", async () => {
        for (const headers of [{}, { "x-service-version": NEWEST_VERSION }]) {
          const answer = await ask(headers as Record<string, string>);
          expect(answer.headers["x-service-version"]).toBe(NEWEST_VERSION);
          expect(answer.body).not.toEqual(UNKNOWN);
        }
        for (const version of ["2026-11-20", "1", ""]) {
          const { status, body } = await ask({ "x-service-version": version });
          expect({ status, body }).toEqual({ status: 400, body: UNKNOWN });
        }
      });
    },
  );

  test("a version named twice is none", async () => {
    expect((await me({ "x-service-version": [NEWEST_VERSION, NEWEST_VERSION] })).body).toEqual(
      UNKNOWN,
    );
  });

  test("a project stays with the version it was created with, which is no field of it", async () => {
    const { rows } = await gateway.pool.query(
      "select to_char(api_version, 'YYYY-MM-DD') as version from projects where id = $1",
      [shop.id],
    );
    expect(rows).toEqual([{ version: NEWEST_VERSION }]);
    expect(JSON.stringify((await me()).body)).not.toMatch(/version/i);
  });

  test("without a key the answer does not show whether a version exists", async () => {
    const headers = { "x-service-version": "1" };
    const { status } = await gateway.ask("GET", "/v1/projects/me", { headers });
    expect(status).toBe(401);
  });

  test("a page may name a version and read which it got", async () => {
    const origin = "https://any.example";
    const asked = await gateway.ask("OPTIONS", "/v1/chains", { headers: { origin } });
    expect(asked.headers["access-control-allow-headers"]).toContain("X-Service-Version");
    const answer = await gateway.ask("GET", "/v1/chains", {
      headers: { ...keys("publishable"), origin },
    });
    expect(answer.headers["access-control-expose-headers"]).toContain("X-Service-Version");
  });
});
