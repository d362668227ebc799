import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import { describeWithPostgres } from "@pay/testing";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

const NO_KEY = refusal(401, "Unauthorized", "API key is invalid or missing");

describeWithPostgres("keys", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  const lines: string[] = [];
  let now = new Date("2026-01-01T00:00:00.000Z");
  beforeAll(async () => {
    gateway = await startTestGateway({
      clock: { now: () => now },
      log: createLog("gateway", "info", { write: (line: string) => void lines.push(line) }),
      env: { TRUST_PROXY: "1", LOG_CLIENT_ADDRESS: "1" },
    });
    shop = await gateway.addProject();
  });
  afterAll(() => gateway.stop());

  const KEYS = "/v1/projects/me/keys";
  function as(secret: string) {
    return { "x-secret-key": secret };
  }

  function me(secret: string) {
    return gateway.ask("GET", "/v1/projects/me", { headers: as(secret) });
  }

  async function make(body: object, secret = shop.secret, headers = {}) {
    return gateway.ask("POST", KEYS, { headers: { ...as(secret), ...headers }, body });
  }

  test("a new key is shown once, works at once, and is listed without itself", async () => {
    const { status, body } = await make({ type: "secret", mode: "live", name: "Server" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{24}$/),
      type: "secret",
      mode: "live",
      scopes: [],
      name: "Server",
      prefix: "sk_live_",
      last4: body.key.slice(-4),
      createdAt: "2026-01-01T00:00:00.000Z",
      createdBy: expect.stringMatching(/^key_[0-9A-Za-z]{24}$/),
      lastUsedAt: null,
      expiresAt: null,
      allowedAddresses: [],
      revokedAt: null,
      key: expect.stringMatching(/^sk_live_[0-9A-Za-z]{43}$/),
    });
    expect((await me(body.key)).status).toBe(200);
    const { key, ...listed } = body;
    const list = await gateway.ask("GET", KEYS, { headers: as(shop.secret) });
    expect(list.body).toMatchObject({ page: 1, limit: 20, data: expect.arrayContaining([listed]) });
    expect(list.text).not.toContain(key);
    const { rows } = await gateway.pool.query("select * from api_keys");
    expect(JSON.stringify(rows)).not.toContain(key);
  });

  test.each([
    [{ type: "publishable", mode: "test" }, /^pk_test_/],
    [{ type: "secret", mode: "test" }, /^sk_test_/],
    [{ type: "secret", mode: "live", scopes: ["payments:read"] }, /^rk_live_/],
  ])("%j gives a key that says so", async (wanted, form) => {
    expect((await make(wanted)).body.key).toMatch(form);
  });

  test("a restricted key may do what its scopes say and nothing else", async () => {
    const { body } = await make({ type: "secret", mode: "live", scopes: ["projects:read"] });
    expect((await me(body.key)).status).toBe(200);
    const change = { headers: as(body.key), body: { name: "Other" } };
    expect((await gateway.ask("PUT", "/v1/projects/me", change)).body).toEqual(
      refusal(403, "Forbidden", "API key lacks the scope projects:write"),
    );
    const more = { type: "secret", mode: "live" };
    for (const [answer, scope] of [
      [await make(more, body.key), "keys:write"],
      [await gateway.ask("GET", KEYS, { headers: as(body.key) }), "keys:read"],
      [await gateway.ask("DELETE", `${KEYS}/${body.id}`, { headers: as(body.key) }), "keys:write"],
    ] as const) {
      expect(answer.body).toEqual(refusal(403, "Forbidden", `API key lacks the scope ${scope}`));
    }
  });

  test("a list has keys of a type and a state", async () => {
    const owner = await gateway.addProject();
    const end = new Date(now.getTime() + 1_000).toISOString();
    const secret = { type: "secret", mode: "live" };
    const ending = (await make({ ...secret, expiresAt: end }, owner.secret)).body.id;
    const revoked = (await make(secret, owner.secret)).body.id;
    await gateway.ask("DELETE", `${KEYS}/${revoked}`, { headers: as(owner.secret) });
    async function list(query: string): Promise<string[]> {
      const { body } = await gateway.ask("GET", `${KEYS}?${query}`, { headers: as(owner.secret) });
      expect(body.total).toBe(body.data.length);
      return body.data.map(({ id }: { id: string }) => id);
    }

    expect(await list("state=revoked")).toEqual([revoked]);
    expect(await list("state=expired")).toEqual([]);
    expect(await list("state=active")).toContain(ending);
    expect(await list("state=active&type=publishable")).not.toContain(ending);
    const then = now;
    now = new Date(then.getTime() + 1_000);
    expect(await list("state=expired&type=secret")).toEqual([ending]);
    expect(await list("state=active")).not.toContain(ending);
    now = then;
  });

  test("a test key neither sees nor makes nor ends live keys", async () => {
    const list = await gateway.ask("GET", KEYS, { headers: as(shop.testSecret) });
    const modes = list.body.data.map(({ mode }: { mode: string }) => mode);
    expect([list.status, [...new Set(modes)]]).toEqual([200, ["test"]]);
    expect((await make({ type: "secret", mode: "live" }, shop.testSecret)).status).toBe(403);
    const live = await make({ type: "secret", mode: "live" });
    const path = `${KEYS}/${live.body.id}`;
    expect((await gateway.ask("DELETE", path, { headers: as(shop.testSecret) })).status).toBe(404);
    expect((await me(live.body.key)).status).toBe(200);
  });

  test.each([
    [{}, "type is required; mode is required"],
    [{ type: "admin", mode: "live" }, "type must be one of secret, publishable"],
    [{ type: "secret", mode: "live", scopes: [] }, /^scopes must be an array/],
    [{ type: "secret", mode: "live", scopes: ["all"] }, /^scopes.0 must be an array/],
    [{ type: "publishable", mode: "live", scopes: ["payments:read"] }, /^scopes must be absent/],
  ])("%j is refused", async (wanted, message) => {
    const { status, body } = await make(wanted);
    expect(status).toBe(400);
    expect(body.message).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  });

  test("a rolled key works beside its successor until the end of the grace", async () => {
    const old = (await make({ type: "secret", mode: "live", scopes: ["projects:read"] })).body;
    const path = `${KEYS}/${old.id}/roll`;
    const ask = { headers: as(shop.secret), body: { graceSeconds: 60 } };
    const rolled = await gateway.ask("POST", path, ask);
    expect(rolled.status).toBe(201);
    expect(rolled.body).toMatchObject({ scopes: ["projects:read"], mode: "live", expiresAt: null });
    expect((await me(old.key)).status).toBe(200);
    expect((await me(rolled.body.key)).status).toBe(200);
    expect((await gateway.ask("POST", path, ask)).body).toEqual(
      refusal(409, "Conflict", "Key is already rolled"),
    );
    now = new Date(now.getTime() + 60_000);
    expect((await me(old.key)).body).toEqual(NO_KEY);
    expect((await me(rolled.body.key)).status).toBe(200);
  });

  test("a key ends at its own time, with a code of its own, and so does its successor", async () => {
    const expiresAt = new Date(now.getTime() + 60_000).toISOString();
    const wanted = { type: "secret", mode: "live", scopes: ["projects:read"], expiresAt };
    const { body: first } = await make(wanted);
    expect(first.expiresAt).toBe(expiresAt);
    const ask = { headers: as(shop.secret), body: { graceSeconds: 3_600 } };
    const { body: second } = await gateway.ask("POST", `${KEYS}/${first.id}/roll`, ask);
    expect(second.expiresAt).toBe(expiresAt);
    for (const { key } of [first, second]) expect((await me(key)).status).toBe(200);
    now = new Date(now.getTime() + 60_000);
    for (const { key } of [first, second]) {
      const { status, headers, body } = await me(key);
      expect([status, headers["x-error-code"]]).toEqual([401, "api_key_expired"]);
      expect(body).toEqual(NO_KEY);
    }
    const late = await make({ ...wanted, expiresAt: now.toISOString() });
    expect(late.body).toEqual(refusal(400, "Bad Request", "expiresAt must be a time to come"));
  });

  test("a key that is bound to addresses opens nothing from elsewhere, and the log has both", async () => {
    const allowedAddresses = ["203.0.113.0/24", "198.51.100.7", "2001:db8:1::/48"];
    const { body } = await make({ type: "secret", mode: "live", allowedAddresses });
    expect(body.allowedAddresses).toEqual(allowedAddresses);
    async function from(address: string) {
      const headers = { ...as(body.key), "x-forwarded-for": address };
      const answer = await gateway.ask("GET", "/v1/projects/me", { headers });
      return answer.status === 403 ? answer.headers["x-error-code"] : answer.status;
    }

    for (const address of [
      "203.0.113.9",
      "198.51.100.7",
      "198.51.100.7:4711",
      "::ffff:203.0.113.1",
      "2001:db8:1:2::3",
    ]) {
      expect([address, await from(address)]).toEqual([address, 200]);
    }
    for (const address of ["203.0.114.1", "198.51.100.8", "2001:db8:2::1", "unknown", ""]) {
      expect([address, await from(address)]).toEqual([address, "address_not_allowed"]);
    }
    const said = lines.map((line) => JSON.parse(line)).filter(({ keyId }) => keyId === body.id);
    expect(said.slice(0, 2)).toMatchObject([
      { clientAddress: "203.0.113.9", statusCode: 200 },
      { clientAddress: "198.51.100.7" },
    ]);
    const headers = as(shop.secret);
    const roll = { headers, body: { graceSeconds: 0 } };
    const rolled = await gateway.ask("POST", `${KEYS}/${body.id}/roll`, roll);
    expect(rolled.body.allowedAddresses).toEqual(allowedAddresses);
    const open = await make({ type: "publishable", mode: "live", allowedAddresses });
    expect(open.body.message).toMatch(/^allowedAddresses must be absent/);
  });

  test("a revoked key stops working at once; revoking it again is not found", async () => {
    const { body } = await make({ type: "secret", mode: "live" });
    expect((await me(body.key)).status).toBe(200);
    const path = `${KEYS}/${body.id}`;
    const revoked = await gateway.ask("DELETE", path, { headers: as(shop.secret) });
    expect(revoked).toMatchObject({ status: 200, body: { deleted: true, id: body.id } });
    expect((await me(body.key)).body).toEqual(NO_KEY);
    expect((await gateway.ask("DELETE", path, { headers: as(shop.secret) })).body).toEqual(
      refusal(404, "Not Found", "Key not found"),
    );
  });

  test("another project's key is not found", async () => {
    const other = await gateway.addProject();
    const { body } = await make({ type: "secret", mode: "live" });
    const headers = as(other.secret);
    expect((await gateway.ask("DELETE", `${KEYS}/${body.id}`, { headers })).status).toBe(404);
    expect(
      (await gateway.ask("POST", `${KEYS}/${body.id}/roll`, { headers, body: {} })).status,
    ).toBe(404);
    expect((await me(body.key)).status).toBe(200);
  });

  test("a repeated request gets the same key again, and the database does not show it", async () => {
    const repeat = { "idempotency-key": "make-1" };
    const wanted = { type: "publishable", mode: "live" };
    const first = await make(wanted, shop.secret, repeat);
    const again = await make(wanted, shop.secret, repeat);
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect(again.text).toBe(first.text);
    const other = await make({ ...wanted, name: "Other" }, shop.secret, repeat);
    expect(other.status).toBe(422);
    const { rows } = await gateway.pool.query<{ response: Buffer }>(
      "select response from idempotency_keys",
    );
    expect(rows.map(({ response }) => response.toString("latin1")).join()).not.toContain(
      "pk_live_",
    );
  });

  test("an answer with a key that was copied to a request of another project is not shown there", async () => {
    const wanted = { type: "publishable", mode: "live" };
    const other = await gateway.addProject();
    const first = await make(wanted, shop.secret, { "idempotency-key": "copied" });
    await make(wanted, other.secret, { "idempotency-key": "copied" });
    await gateway.pool.query(
      `update idempotency_keys set response =
        (select response from idempotency_keys where scope like $1 || ':%' and key = 'copied')
      where scope like $2 || ':%' and key = 'copied'`,
      [shop.id, other.id],
    );
    const again = await make(wanted, other.secret, { "idempotency-key": "copied" });
    expect(again.status).toBe(500);
    expect(again.text).not.toContain(first.body.key);
  });
});
