// The rows about credentials: sign-in through the project's identity provider, and the project's keys.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { refusal } from "./ask.ts";
import type { Records } from "./contract-records.ts";
import { expectFields, FIELDS, ISO_TIME } from "./documented.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { askWith, keyHeader, PAYER } from "./product.ts";

const HOUR_MS = 3_600_000;

/** The product runs by the time a test asks for it. */
export function describeAccess(records: () => Records): void {
  const secret: Records["secret"] = (...asked) => records().secret(...asked);

  describe("sign-in", () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await startIssuer();
      await secret("PUT", "/v1/projects/me", { sso: issuer.settings });
    });
    afterAll(() => issuer?.stop());

    test("POST /v1/auth/sso answers 200 with a session, once for each token", async () => {
      const token = await issuer.token({ subject: "shopper", wallet: PAYER });
      const { status, body } = await secret("POST", "/v1/auth/sso", { token });
      expect(status).toBe(200);
      expectFields(body, FIELDS.session);
      expect(body).toEqual({
        sessionToken: expect.stringMatching(/^sess_[0-9A-Za-z_]+$/),
        expiresAt: expect.stringMatching(ISO_TIME),
      });
      const again = await secret("POST", "/v1/auth/sso", { token });
      expect([again.status, again.body.statusCode]).toEqual([401, 401]);
    });

    test("POST /v1/auth/sessions/revoke answers 200 with how many sessions it ended", async () => {
      const { publishableKey } = records().product.credentials;
      const token = await issuer.token({ subject: "leaver", wallet: PAYER });
      const { sessionToken } = (await secret("POST", "/v1/auth/sso", { token })).body;
      function use() {
        return records().product.ask("GET", "/v1/payments", {
          headers: { ...keyHeader(publishableKey), authorization: `Bearer ${sessionToken}` },
        });
      }

      expect((await use()).status).toBe(200);
      for (const revoked of [1, 0]) {
        const { status, body } = await secret("POST", "/v1/auth/sessions/revoke", {
          subject: "leaver",
        });
        expect(status).toBe(200);
        expectFields(body, FIELDS.endedSessions);
        expect(body).toEqual({ revoked });
      }
      expect((await use()).status).toBe(401);
    });

    test.each(["", undefined, 7])(
      "POST /v1/auth/sso with the token %p is refused",
      async (token) => {
        const { status, body } = await secret("POST", "/v1/auth/sso", { token });
        expect([status, body]).toEqual([
          400,
          refusal(400, "Bad Request", expect.stringMatching(/^token /) as unknown as string),
        ]);
      },
    );
  });

  describe("keys", () => {
    function make(wanted: object) {
      return secret("POST", "/v1/projects/me/keys", wanted);
    }

    const wanted = { type: "secret", mode: "live", name: "Till", scopes: ["payments:read"] };

    test("POST /v1/projects/me/keys answers 201 and shows the key", async () => {
      const { status, body } = await make(wanted);
      expect(status).toBe(201);
      expectFields(body, FIELDS.createdKey);
      expect(body).toMatchObject({ ...wanted, key: expect.stringMatching(/^rk_live_/) });
      expect(body).toMatchObject({ createdBy: expect.stringMatching(/^key_/), lastUsedAt: null });
    });

    test("GET /v1/projects/me/keys lists keys newest first and shows none of them", async () => {
      const { body: made } = await make(wanted);
      const { status, body } = await secret("GET", "/v1/projects/me/keys?limit=1");
      expect(status).toBe(200);
      expectFields(body, FIELDS.list);
      expectFields(body.data[0], FIELDS.keyItem);
      expect(body.data[0]).toMatchObject({ id: made.id, ...wanted });
      expect(JSON.stringify(body)).not.toContain(made.key);
    });

    test("POST /v1/projects/me/keys/{id}/roll answers 201; the old key has its grace", async () => {
      const { body: made } = await make(wanted);
      const path = `/v1/projects/me/keys/${made.id}/roll`;
      const { status, body } = await secret("POST", path, { graceSeconds: 3_600 });
      expect(status).toBe(201);
      expectFields(body, FIELDS.createdKey);
      expect(body).toMatchObject({ ...wanted, key: expect.stringMatching(/^rk_live_/) });
      expect(body.key).not.toBe(made.key);
      const { body: list } = await secret("GET", "/v1/projects/me/keys?limit=2");
      const old = list.data.find(({ id }: { id: string }) => id === made.id);
      expect(Date.parse(old.expiresAt) - Date.now()).toBeGreaterThan(0.9 * HOUR_MS);
      for (const key of [made.key, body.key]) {
        const read = await askWith(records().product.ask, key)("GET", "/v1/payments?limit=1");
        expect(read.status).toBe(200);
      }
    });

    test("DELETE /v1/projects/me/keys/{id} answers 409 for the last unrestricted key of its mode", async () => {
      const { body: made } = await make({ type: "secret", mode: "test" });
      function revoke(id: string) {
        return secret("DELETE", `/v1/projects/me/keys/${id}`);
      }

      const { body: list } = await secret("GET", "/v1/projects/me/keys?limit=100");
      function isOther(key: typeof made) {
        return key.id !== made.id && key.mode === "test" && key.prefix === "sk_test_";
      }

      for (const { id } of list.data.filter(isOther)) await revoke(id);
      const { status, body } = await revoke(made.id);
      const message =
        "The last unrestricted test secret key of a project cannot be revoked; make or roll one first";
      expect([status, body]).toEqual([409, refusal(409, "Conflict", message)]);
    });

    test("DELETE /v1/projects/me/keys/{id} happens once, and the key is refused from then on", async () => {
      const { body: made } = await make(wanted);
      const { status, body } = await secret("DELETE", `/v1/projects/me/keys/${made.id}`);
      expect(status).toBe(200);
      expectFields(body, FIELDS.deleted);
      expect(body).toEqual({ deleted: true, id: made.id });
      const read = await askWith(records().product.ask, made.key)("GET", "/v1/payments");
      expect(read.status).toBe(401);
      const again = await secret("DELETE", `/v1/projects/me/keys/${made.id}`);
      expect([again.status, again.body]).toEqual([404, refusal(404, "Not Found", "Key not found")]);
    });
  });
}
