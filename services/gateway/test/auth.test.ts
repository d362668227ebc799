import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { describeWithPostgres, until } from "@pay/testing";
import { newSecret } from "@pay/values";
import { ROUTES } from "../src/index.ts";
import {
  type Ask,
  refusal,
  startTestGateway,
  type TestGateway,
  type TestProject,
} from "./gateway.ts";

const NO_KEY = refusal(401, "Unauthorized", "API key is invalid or missing");

const locked = ROUTES.filter(({ auth }) => auth !== "none").map((route) => ({
  name: `${route.method} ${route.path}`,
  method: route.method,
  path: route.path.replace("{id}", `${route.id?.prefix}_${"A".repeat(24)}`).replace(/\{\w+\}/, "1"),
  header: route.auth === "secret" ? "x-secret-key" : "x-publishable-key",
  other: route.auth === "secret" ? "x-publishable-key" : "x-secret-key",
  auth: route.auth,
}));

describeWithPostgres("authentication", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  let stranger: TestProject;
  beforeAll(async () => {
    gateway = await startTestGateway({ bounds: { keyCacheMs: 100 } });
    shop = await gateway.addProject();
    stranger = await gateway.addProject();
  });
  afterAll(() => gateway.stop());

  describe.each(locked)("$name", ({ method, path, header, other, auth }) => {
    const withBody = method === "POST" || method === "PUT" ? { body: {} } : {};
    function right(project: TestProject) {
      return auth === "secret" ? project.secret : project.publishable;
    }

    function wrong(project: TestProject) {
      return auth === "secret" ? project.publishable : project.secret;
    }

    async function refused(asked: Ask, query = "") {
      const answer = await gateway.ask(method, path + query, {
        ...asked,
        ...withBody,
      });
      expect(answer.body).toEqual(NO_KEY);
      expect(answer.headers["x-error-code"]).toBe("api_key_invalid");
    }

    test("refuses every request without the right key in the same words", async () => {
      const key = right(shop);
      await refused({});
      await refused({ headers: { [header]: "" } });
      await refused({ headers: { [header]: newSecret(key.slice(0, 8)) } });
      await refused({ headers: { [header]: key.slice(0, -1) } });
      await refused({ headers: { [header]: `${key}0` } });
      await refused({ headers: { [header]: key.toUpperCase() } });
      await refused({ headers: { [header]: wrong(shop) } });
      await refused({ headers: { [other]: key } });
      await refused({ headers: { authorization: `Bearer ${key}` } });
      await refused({ headers: { [header]: [key, key] } });
      await refused({ headers: { [header]: `${key}, ${key}` } });
      await refused({ headers: { [header]: key, [other]: wrong(stranger) } });
      await refused({ headers: { [header]: key, [other]: "nonsense" } });
      await refused({ headers: { [header]: `\u00fc${key}` } });
      await refused({ headers: { [header]: key } }, `?key=${key}`);
      await refused({ headers: { [header]: key } }, `?${key}`);
    });

    test("lets the right key pass, alone or beside the other one of its project", async () => {
      for (const headers of [
        { [header]: right(shop) },
        { [header]: right(shop), [other]: wrong(shop) },
      ]) {
        const answer = await gateway.ask(method, path, {
          headers,
          ...withBody,
        });
        expect(answer.status).not.toBe(401);
      }
    });
  });

  test("a key that is revoked in the database stops working within the time of the cache", async () => {
    const { id, text } = await gateway.addKey(shop.id, { type: "secret" });
    async function status() {
      return (await gateway.ask("GET", "/v1/projects/me", { headers: { "x-secret-key": text } }))
        .status;
    }

    expect(await status()).toBe(200);
    await gateway.pool.query("update api_keys set revoked_at = now() where id = $1", [id]);
    await until(async () => (await status()) === 401, { what: "a dead key" });
  });

  test("keys of a deleted project do not work", async () => {
    const gone = await gateway.addProject();
    await gateway.pool.query("delete from projects where id = $1", [gone.id]);
    const headers = { "x-secret-key": gone.secret };
    expect((await gateway.ask("GET", "/v1/projects/me", { headers })).body).toEqual(NO_KEY);
  });

  test("a flood of unknown keys is refused like a single one", async () => {
    const asked = Array.from({ length: 300 }, () =>
      gateway.ask("GET", "/v1/projects/me", { headers: { "x-secret-key": newSecret("sk_live_") } }),
    );
    for (const { status } of await Promise.all(asked)) expect(status).toBe(401);
  });
});
