// A project that revoked its last unrestricted secret key could never make another one.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { describeWithPostgres, until } from "@pay/testing";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

const KEYS = "/v1/projects/me/keys";

function lastKeyError(mode: string) {
  return refusal(
    409,
    "Conflict",
    `The last unrestricted ${mode} secret key of a project cannot be revoked; make or roll one first`,
  );
}

describeWithPostgres("the last unrestricted secret key", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  beforeEach(async () => {
    shop = await gateway.addProject();
  });
  afterAll(() => gateway.stop());

  function ask(secret: string, method: string, path = "", body?: object) {
    return gateway.ask(method, KEYS + path, {
      headers: { "x-secret-key": secret },
      ...(body && { body }),
    });
  }

  async function getId(secret: string, project = shop): Promise<string> {
    const { rows } = await gateway.pool.query(
      "select id from api_keys where project_id = $1 and last4 = $2 and prefix = $3",
      [project.id, secret.slice(-4), secret.slice(0, 8)],
    );
    return rows[0].id;
  }

  function revoke(id: string, by = shop.secret) {
    return ask(by, "DELETE", `/${id}`);
  }

  test("of the live mode does not revoke itself", async () => {
    expect((await revoke(await getId(shop.secret))).body).toEqual(lastKeyError("live"));
    expect((await ask(shop.secret, "GET")).status).toBe(200);
  });

  test("of the test mode is not revoked while the live mode has others", async () => {
    await gateway.addKey(shop.id, { type: "secret" });
    expect((await revoke(await getId(shop.testSecret))).body).toEqual(lastKeyError("test"));
    const { id } = await gateway.addKey(shop.id, { type: "secret", mode: "test" });
    expect((await revoke(await getId(shop.testSecret))).status).toBe(200);
    expect((await revoke(id)).body).toEqual(lastKeyError("test"));
  });

  test("is not outnumbered by restricted, publishable, revoked or strangers' keys, which may all go", async () => {
    await gateway.addProject();
    const narrow = await gateway.addKey(shop.id, { type: "secret", scopes: ["projects:read"] });
    const shown = await gateway.addKey(shop.id, { type: "publishable" });
    const { id } = await gateway.addKey(shop.id, { type: "secret" });
    expect((await revoke(id)).status).toBe(200);
    const last = await getId(shop.secret);
    expect((await revoke(last)).body).toEqual(lastKeyError("live"));
    for (const other of [narrow.id, shown.id]) expect((await revoke(other)).status).toBe(200);
    expect((await revoke(last)).body).toEqual(lastKeyError("live"));
  });

  test("may be rolled: the successor is the last then, and the rolled one may go", async () => {
    const old = await getId(shop.secret);
    const { body } = await ask(shop.secret, "POST", `/${old}/roll`, { graceSeconds: 600 });
    expect((await revoke(body.id)).body).toEqual(lastKeyError("live"));
    expect((await revoke(old, body.key)).status).toBe(200);
    expect((await ask(body.key, "GET")).status).toBe(200);
  });

  test("is left when two keys revoke each other at once", async () => {
    const other = await gateway.addKey(shop.id, { type: "secret" });
    const own = await getId(shop.secret);
    const holder = await gateway.pool.connect();
    try {
      await holder.query("begin");
      await holder.query("select 1 from api_keys where project_id = $1 for update", [shop.id]);
      const asked = [revoke(other.id, shop.secret), revoke(own, other.text)];
      await until(
        async () => {
          const { rows } = await gateway.pool.query(
            `select count(*)::int as waiting from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`,
          );
          // The writer of the times of use may wait there too.
          return rows[0].waiting >= 2;
        },
        { what: "both requests at the lock" },
      );
      await holder.query("commit");
      const answers = await Promise.all(asked);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    } finally {
      holder.release();
    }
    const { rows } = await gateway.pool.query(
      `select id from api_keys where project_id = $1 and type = 'secret' and mode = 'live'
       and revoked_at is null`,
      [shop.id],
    );
    expect(rows).toHaveLength(1);
  });
});
