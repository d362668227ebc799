// What is promised to events while the database is away, stands still or refuses what has nothing to do with them.
import { expect, test } from "@jest/globals";
import { describeWithPostgres, testDatabase, testPostgres, until } from "@pay/testing";
import { change, deadLetters, effects, SAMPLE, sequences, startConsumer } from "./arrange.ts";
import { leaveEffects } from "./leave-effects.ts";

describeWithPostgres("a consumer whose database fails", () => {
  test("waits for a right that its login lacks, and puts no event aside meanwhile", async () => {
    const database = await testDatabase(SAMPLE);
    let tries = 0;
    const { bus, runtime } = await startConsumer(database.url, async (events, tx) => {
      tries++;
      await leaveEffects(events, tx);
    });
    try {
      await database.pool.query("revoke insert on effects from current_user");
      const published = bus.publish([change("pay_1", 1), change("pay_1", 2)]);
      // A list and an event of it that fail by themselves have fewer.
      await until(async () => tries > 6 || (await deadLetters(database.pool)).length > 0);
      await database.pool.query("grant insert on effects to current_user");
      await published;
      expect(sequences(await effects(database.pool))).toEqual({ pay_1: [1, 2] });
      expect(await deadLetters(database.pool)).toEqual([]);
    } finally {
      await runtime.stop();
      await database.drop();
    }
  });

  test("waits for it without losing or putting aside an event; a stop does not wait", async () => {
    const postgres = await testPostgres(SAMPLE);
    const { bus, runtime } = await startConsumer(postgres.url);
    try {
      await bus.publish([change("pay_1", 1)]);
      await postgres.kill();
      const published = bus.publish([change("pay_1", 2), change("pay_1", 3)]);
      await postgres.start();
      await published;
      expect(sequences(await effects(runtime.db.pool))).toEqual({ pay_1: [1, 2, 3] });
      expect(await deadLetters(runtime.db.pool)).toEqual([]);

      await postgres.kill();
      const refused = bus.publish([change("pay_1", 4)]).catch((error: Error) => error.message);
      expect(await runtime.stop()).toBe(true);
      expect(await refused).toBe("stopping");
    } finally {
      await runtime.stop();
      await postgres.drop();
    }
  });

  test("waits for one that stands still, and handles every event once", async () => {
    const postgres = await testPostgres(SAMPLE);
    const { bus, runtime } = await startConsumer(postgres.url);
    try {
      await bus.publish([change("pay_1", 1)]);
      let brokenOff = 0;
      runtime.db.pool.on("remove", () => brokenOff++);
      await postgres.freeze();
      const published = bus.publish([change("pay_1", 2)]);
      await until(() => brokenOff > 0, { what: "a statement's time limit" });
      await postgres.thaw();
      await published;
      expect(sequences(await effects(runtime.db.pool))).toEqual({ pay_1: [1, 2] });
    } finally {
      await runtime.stop();
      await postgres.drop();
    }
  });
});
