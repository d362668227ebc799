// A leaked key could make another one, so each key shows who made it and when it was last used.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres, until } from "@pay/testing";
import pg from "pg";
import { createKeyUses } from "../src/keys/key-uses.ts";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

const KEYS = "/v1/projects/me/keys";
const START = new Date("2026-01-01T00:00:00.000Z");

interface Listed {
  id: string;
  last4: string;
  createdBy: string | null;
  lastUsedAt: string | null;
}

describeWithPostgres("the history of a key", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  let now = START;
  beforeAll(async () => {
    gateway = await startTestGateway({
      clock: { now: () => now },
      bounds: { keyUseIntervalMs: 20, keyCacheMs: 1 },
    });
    shop = await gateway.addProject();
  });
  afterAll(() => gateway.stop());

  function ask(secret: string, method: string, path: string, body?: object) {
    return gateway.ask(method, path, {
      headers: { "x-secret-key": secret },
      ...(body && { body }),
    });
  }

  async function listed(last4: string): Promise<Listed | undefined> {
    const { body } = await ask(shop.secret, "GET", `${KEYS}?limit=100`);
    return body.data.find((key: Listed) => key.last4 === last4);
  }

  async function make(body: object, by = shop.secret) {
    return (await ask(by, "POST", KEYS, { mode: "live", type: "secret", ...body })).body;
  }

  test("names the operator for a project's first keys, and the key that made each other one", async () => {
    const first = await listed(shop.secret.slice(-4));
    expect(first).toMatchObject({ createdBy: "operator" });
    const made = await make({});
    expect(made).toMatchObject({ createdBy: first?.id, lastUsedAt: null });
    const planted = await make({ type: "publishable" }, made.key);
    expect(await listed(planted.last4)).toMatchObject({ createdBy: made.id });
    const rolled = await ask(made.key, "POST", `${KEYS}/${planted.id}/roll`, {});
    expect(rolled.body).toMatchObject({ createdBy: made.id });
  });

  test("shows when the key was last used, and keeps it up to date", async () => {
    const { key, last4 } = await make({ scopes: ["projects:read"] });
    expect(await listed(last4)).toMatchObject({ lastUsedAt: null });
    for (const minutes of [5, 90]) {
      now = new Date(START.getTime() + minutes * 60_000);
      expect((await ask(key, "GET", "/v1/projects/me")).status).toBe(200);
      await until(async () => (await listed(last4))?.lastUsedAt === now.toISOString(), {
        what: "the time of use",
      });
    }
  });

  test("that could not be written is written by the next round", async () => {
    const { id, last4 } = await make({});
    const uses = createKeyUses();
    const used = { keyId: id, projectId: shop.id, renewal: undefined };
    const away = new pg.Pool({ connectionString: gateway.databaseUrl });
    await away.end();
    uses.note(used, new Date(START.getTime() + 60_000));
    await expect(uses.write(away)).rejects.toThrow();
    await uses.write(gateway.pool);
    expect(await listed(last4)).toMatchObject({ lastUsedAt: "2026-01-01T00:01:00.000Z" });
    // An earlier use that is written later does not set it back.
    uses.note(used, START);
    await uses.write(gateway.pool);
    expect(await listed(last4)).toMatchObject({ lastUsedAt: "2026-01-01T00:01:00.000Z" });
  });

  test("counts no use of a key that is refused", async () => {
    const { key, last4 } = await make({});
    const query = await ask(shop.secret, "GET", `/v1/projects/me?key=${key}`);
    const wrong = await gateway.ask("GET", "/v1/chains", {
      headers: { "x-publishable-key": key },
    });
    expect([query.status, wrong.status]).toEqual([401, 401]);
    const { key: witness, last4: seen } = await make({});
    await ask(witness, "GET", "/v1/projects/me");
    await until(async () => (await listed(seen))?.lastUsedAt !== null, { what: "a later use" });
    expect(await listed(last4)).toMatchObject({ lastUsedAt: null });
  });
});
