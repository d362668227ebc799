// The pepper is changed while merchants send requests. What was digested or sealed under the old one is found and
// moves to the new one when it is used; then the old one can be removed.
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createLog, type Log } from "@pay/process";
import { describeWithPostgres, until } from "@pay/testing";
import { register } from "prom-client";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { LOCAL_ISSUERS, type SignIn, startSignIn } from "./sso.ts";

const OLD = "pepper-of-the-tests-0123456789-abcdef";
const NEW = "another-pepper-of-the-tests-0123456789";
const BOUNDS = { keyUseIntervalMs: 20, keyCacheMs: 1 };

describeWithPostgres("a change of the pepper", () => {
  let signIn: SignIn;
  let shop: TestProject;
  const started: { stop(): Promise<unknown> }[] = [];
  beforeAll(async () => {
    signIn = await startSignIn({ bounds: BOUNDS, env: { GATEWAY_KEY_PEPPER: OLD } });
  });
  beforeEach(async () => {
    shop = await signIn.addShop();
  });
  afterAll(async () => {
    for (const one of started.reverse()) await one.stop();
    await signIn?.stop();
  });

  /** Another replica on the same database. */
  async function under(pepper: string, log?: Log): Promise<TestGateway> {
    const gateway = await startTestGateway({
      ...(log && { log }),
      databaseUrl: signIn.gateway.databaseUrl,
      clock: { now: signIn.now },
      bounds: BOUNDS,
      env: { ...LOCAL_ISSUERS, GATEWAY_KEY_PEPPER: pepper },
    });
    started.push(gateway);
    return gateway;
  }

  async function status(gateway: TestGateway, secret: string) {
    const asked = { headers: { "x-secret-key": secret } };
    return (await gateway.ask("GET", "/v1/projects/me", asked)).status;
  }

  async function readVersion(secret: string): Promise<number> {
    const { rows } = await signIn.gateway.pool.query(
      "select pepper_version from api_keys where project_id = $1 and last4 = $2",
      [shop.id, secret.slice(-4)],
    );
    return rows[0].pepper_version;
  }

  async function readLastUse(id: string): Promise<Date | null> {
    const { rows } = await signIn.gateway.pool.query(
      "select last_used_at from api_keys where id = $1",
      [id],
    );
    return rows[0].last_used_at;
  }

  test("a pepper without a version is version 1", async () => {
    expect(await status(await under(`1:${OLD}`), shop.secret)).toBe(200);
    expect(await status(await under(`1:${NEW}`), shop.secret)).toBe(401);
  });

  test("keys work before, while and after both are known, and move to the new one by being used", async () => {
    const both = await under(`1:${OLD},2:${NEW}`);
    expect(await status(both, shop.secret)).toBe(200);
    const changed = await under(`2:${NEW},1:${OLD}`);
    expect(await status(changed, shop.secret)).toBe(200);
    await until(async () => (await readVersion(shop.secret)) === 2, { what: "the new version" });
    // A replica that does not make new digests yet finds the key, and leaves it where it is.
    const witness = await signIn.gateway.addKey(shop.id, { type: "secret" });
    expect(await status(both, shop.secret)).toBe(200);
    expect(await status(both, witness.text)).toBe(200);
    await until(async () => (await readLastUse(witness.id)) !== null, { what: "a later round" });
    expect(await readVersion(shop.secret)).toBe(2);
    const after = await under(`2:${NEW}`);
    expect(await status(after, shop.secret)).toBe(200);
    expect(await status(after, shop.testSecret)).toBe(401);
    expect(await readVersion(shop.testSecret)).toBe(1);
    const made = await changed.ask("POST", "/v1/projects/me/keys", {
      headers: { "x-secret-key": shop.secret },
      body: { type: "secret", mode: "live" },
    });
    expect(await status(after, made.body.key)).toBe(200);
  });

  test("a revoked key stays revoked under every version", async () => {
    const { id, text } = await signIn.gateway.addKey(shop.id, { type: "secret" });
    const changed = await under(`2:${NEW},1:${OLD}`);
    expect(await status(changed, text)).toBe(200);
    await signIn.gateway.pool.query("update api_keys set revoked_at = now() where id = $1", [id]);
    await until(async () => (await status(changed, text)) === 401, { what: "a dead key" });
  });

  test("sessions stay valid, a subject still has at most five, and all of them can be ended", async () => {
    const changed = await under(`2:${NEW},1:${OLD}`);
    async function use(session: string) {
      const headers = {
        authorization: `Bearer ${session}`,
        "x-publishable-key": shop.publishable,
      };
      return (await changed.ask("GET", "/v1/payments", { headers })).status;
    }

    async function exchange() {
      const token = signIn.issuer.token({ claims: { sub: "zoe", jti: `${Math.random()}` } });
      const asked = { headers: { "x-secret-key": shop.secret }, body: { token } };
      return (await changed.ask("POST", "/v1/auth/sso", asked)).body.sessionToken;
    }

    const other = await signIn.open(shop.secret, { sub: "yan" });
    const sessions: string[] = [];
    for (const open of [
      ...Array(4).fill(() => signIn.open(shop.secret, { sub: "zoe" })),
      exchange,
    ]) {
      sessions.push(await open());
      signIn.move(1_000);
    }
    expect(await Promise.all(sessions.map(use))).toEqual([200, 200, 200, 200, 200]);
    sessions.push(await exchange());
    expect(await Promise.all(sessions.map(use))).toEqual([401, 200, 200, 200, 200, 200]);
    function revoke(subject: string) {
      return changed.ask("POST", "/v1/auth/sessions/revoke", {
        headers: { "x-secret-key": shop.secret },
        body: { subject },
      });
    }

    expect((await revoke("zoe")).body).toEqual({ revoked: 5 });
    expect((await revoke("yan")).body).toEqual({ revoked: 1 });
    expect(await Promise.all([...sessions, other].map(use))).toEqual(Array(7).fill(401));
  });

  test("a repeated request gets the answer that was sealed under the old one", async () => {
    const changed = await under(`2:${NEW},1:${OLD}`);
    const asked = {
      headers: { "x-secret-key": shop.secret, "idempotency-key": "key-1" },
      body: { type: "publishable", mode: "live" },
    };
    const first = await signIn.gateway.ask("POST", "/v1/projects/me/keys", asked);
    const again = await changed.ask("POST", "/v1/projects/me/keys", asked);
    expect(first.status).toBe(201);
    expect(again.text).toBe(first.text);
  });

  test("the gateway logs at its start which keys are under a version that is not configured", async () => {
    const sink = new PassThrough();
    let said = "";
    sink.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    await under(`4:${NEW}`, createLog("gateway", "warn", sink));
    const line = '"msg":"API keys are under a pepper that is not configured"';
    await until(() => said.includes(line), { what: "the line" });
    expect(JSON.parse(said.split("\n")[0] ?? "")).toMatchObject({ version: 1 });
    expect(said).not.toContain(NEW);
  });

  test("keys that are still under another version are counted", async () => {
    await under(`3:${NEW},1:${OLD}`);
    async function counted() {
      const metric = await register.getSingleMetric("gateway_keys_by_pepper_version")?.get();
      return metric?.values.find(({ labels }) => labels.version === "1")?.value ?? 0;
    }

    await until(async () => (await counted()) > 0, { what: "the count" });
  });
});
