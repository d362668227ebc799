// What a sign-in stores: nothing that could be used to sign in, and nothing that shows who signed in.
import { Writable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import { describeWithPostgres, until } from "@pay/testing";
import { register } from "prom-client";
import type { TestProject } from "./gateway.ts";
import { newSigningKey } from "./issuer.ts";
import { type SignIn, startSignIn } from "./sso.ts";

const SUBJECT = "canary-subject";
const AS_STORED = ["latin1", "hex", "base64", "base64url"] as const;

describeWithPostgres("sign-in", () => {
  let signIn: SignIn;
  let shop: TestProject;
  let logged = "";
  const secrets: string[] = [SUBJECT, "canary-mail@shop.example", "canary-in-address"];
  beforeAll(async () => {
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged += chunk;
        done();
      },
    });
    signIn = await startSignIn({ log: createLog("gateway", "trace", sink) });
    shop = await signIn.addShop();
    await signIn.configure(shop, {
      ...signIn.issuer.trust,
      jwksUrl: `${signIn.issuer.url}/keys?k=canary-in-address`,
    });
    signIn.issuer.say("/keys?k=canary-in-address", () => ({ keys: "none" }));
    await sendAll();
    signIn.issuer.say("/keys?k=canary-in-address", () => ({ keys: [] }));
    signIn.move(60_000);
    await sendAll();
    await signIn.configure(shop, signIn.issuer.trust);
    await sendAll();
    await until(() => logged.split(`"route":"/v1/auth/sso"`).length > 9, { what: "all lines" });
  });
  afterAll(() => signIn?.stop());

  /** A good token with and without a key for repeats, a forged one, a broken one, and the session in every place. */
  async function sendAll() {
    const claims = { sub: SUBJECT, email: "canary-mail@shop.example" };
    const good = signIn.issuer.token({ claims: { ...claims, jti: String(secrets.length) } });
    const forged = signIn.issuer.token({
      claims,
      key: newSigningKey("ES256", signIn.issuer.key.kid),
    });
    const broken = `canary-broken.${secrets.length}.x`;
    const headers = { "idempotency-key": `sign-in-${secrets.length}` };
    const { body } = await signIn.exchange(shop.secret, good, headers);
    for (const token of [good, forged, broken]) await signIn.exchange(shop.secret, token);
    secrets.push(good, forged, broken, ...[good, forged].map((token) => token.split(".")[2] ?? ""));
    const session = body.sessionToken ?? `sess_${"canary".padEnd(43, "0")}`;
    secrets.push(session);
    await signIn.use(session, shop.publishable);
    await signIn.use(`${session}x`, shop.publishable);
    await signIn.use(session, shop.publishable, { "x-request-id": session });
    await signIn.gateway.ask("GET", `/v1/payments?session=${session}`);
    await signIn.gateway.ask("GET", `/v1/payments/${session}`, {
      headers: { "x-secret-key": shop.secret },
    });
  }

  test("leaves no token, no session and no person in the log or the metrics", async () => {
    const metrics = await register.metrics();
    expect(secrets.filter((secret) => secret.startsWith("sess_")).length).toBeGreaterThan(2);
    for (const secret of secrets) {
      expect(logged).not.toContain(secret);
      expect(metrics).not.toContain(secret);
    }
    expect(logged).toContain("an issuer's keys could not be read");
    expect(metrics).toContain('sso_refusals_total{reason="used"}');
  });

  test("leaves none in any column of the database", async () => {
    const { pool } = signIn.gateway;
    const { rows: tables } = await pool.query<{ tablename: string }>(
      "select tablename from pg_tables where schemaname = 'public'",
    );
    let rowsSeen = 0;
    for (const { tablename } of tables) {
      const { rows } = await pool.query<{ row: string }>(
        `select t::text as row from ${tablename} t`,
      );
      const stored = rows.map(({ row }) => row).join("\n");
      rowsSeen += rows.length;
      for (const secret of secrets) {
        for (const encoding of AS_STORED) {
          const form = encoding === "latin1" ? secret : Buffer.from(secret).toString(encoding);
          expect(stored).not.toContain(form.replace(/=+$/, ""));
        }
      }
    }
    expect(rowsSeen).toBeGreaterThan(5);
  });
});
