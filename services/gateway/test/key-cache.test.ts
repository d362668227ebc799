// Which records of keys are remembered, with look-ups in a real database.
import { expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { createAuthenticator } from "../src/keys/authenticate.ts";
import { findKeys } from "../src/keys/find-keys.ts";
import { createKeyUses } from "../src/keys/key-uses.ts";
import { startTestGateway } from "./gateway.ts";

const PEPPER = { version: 1, secret: "pepper-of-the-tests-0123456789-abcdef" };

describeWithPostgres("the records of keys that are remembered", () => {
  test("do not include what was read before the key was revoked", async () => {
    const gateway = await startTestGateway();
    try {
      const shop = await gateway.addProject();
      const { id, text } = await gateway.addKey(shop.id, { type: "secret" });
      const read = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<void>();
      const authenticator = createAuthenticator({
        findKeys: async (wanted) => {
          const found = await findKeys(gateway.pool, wanted);
          read.resolve();
          await answer.promise;
          return found;
        },
        uses: createKeyUses(),
        peppers: [PEPPER],
        clock: { now: () => new Date() },
        cacheMs: 600_000,
        cacheMax: 10,
      });
      function use(key: string) {
        return authenticator.authenticate({ "x-secret-key": key }, "secret");
      }

      const underWay = use(text);
      await read.promise;
      await gateway.pool.query("update api_keys set revoked_at = now() where id = $1", [id]);
      authenticator.forget(shop.id);
      answer.resolve();
      expect(await underWay).toMatchObject({ actor: id });
      await expect(use(text)).rejects.toMatchObject({ errorCode: "api_key_invalid" });
      // Later records are remembered: this one is read once, although it is revoked without a word to the cache.
      expect(await use(shop.secret)).toMatchObject({ projectId: shop.id });
      await gateway.pool.query("update api_keys set revoked_at = now() where project_id = $1", [
        shop.id,
      ]);
      expect(await use(shop.secret)).toMatchObject({ projectId: shop.id });
    } finally {
      await gateway.stop();
    }
  });
});
