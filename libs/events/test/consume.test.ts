import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { EventSchema } from "@pay/proto";
import {
  describeWithPostgres,
  type TestDatabase,
  testDatabase,
  testPostgres,
  until,
} from "@pay/testing";
import type { KafkaMessage } from "kafkajs";
import { toRecord } from "../src/bus/kafka/record.ts";
import { type Bus, type BusRecord, type ConsumeOptions, TOPICS } from "../src/index.ts";
import {
  change,
  count,
  deadLetters,
  effects,
  SAMPLE,
  sequences,
  startConsumer,
} from "./arrange.ts";
import { leaveEffects } from "./leave-effects.ts";

describeWithPostgres("a consumer", () => {
  let database: TestDatabase;
  const processes: { stop(): Promise<boolean> }[] = [];

  beforeAll(async () => {
    database = await testDatabase(SAMPLE);
  });
  afterAll(() => database.drop());

  beforeEach(() =>
    database.pool.query("truncate effects, inbox_ids, inbox_positions, dead_letters"),
  );
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((one) => one.stop()));
  });

  async function consuming(handle?: ConsumeOptions["handle"]): Promise<Bus> {
    const { bus, runtime } = await startConsumer(database.url, handle);
    processes.push(runtime);
    return bus;
  }

  test("hands over lists of events in their order", async () => {
    const lists: number[] = [];
    const bus = await consuming(async (events, tx) => {
      lists.push(events.length);
      await leaveEffects(events, tx);
    });
    await bus.publish(Array.from({ length: 200 }, (_, n) => change(`pay_${n % 2}`, n + 1)));
    expect(lists).toEqual([200]);
    const { pay_0, pay_1 } = sequences(await effects(database.pool));
    expect(pay_0).toEqual(Array.from({ length: 100 }, (_, n) => 2 * n + 1));
    expect(pay_1).toEqual(Array.from({ length: 100 }, (_, n) => 2 * n + 2));
  });

  test("handles an event once, however often it comes", async () => {
    const bus = await consuming();
    const [first, second] = [change("pay_1", 1), change("pay_1", 2)];
    await bus.publish([first, first]);
    await bus.publish([first, second, first]);
    await bus.publish([second]);
    expect(sequences(await effects(database.pool))).toEqual({ pay_1: [1, 2] });
  });

  test("two members that get the same events at once handle each of them once", async () => {
    const members = [await consuming(), await consuming(), await consuming()];
    const rows = Array.from({ length: 50 }, (_, n) => change("pay_1", n + 1));
    await Promise.all(members.map((bus) => bus.publish(rows)));
    expect(await count(database.pool, "effects")).toBe(50);
    expect(await deadLetters(database.pool)).toEqual([]);
  });

  test("keeps effect and memory together: an undone list is new again", async () => {
    let faults = 1;
    const bus = await consuming(async (events, tx) => {
      await leaveEffects(events, tx);
      if (faults-- > 0) throw new Failure("service_unavailable", "a moment, please");
    });
    await bus.publish([change("pay_1", 1), change("pay_1", 2)]);
    expect(sequences(await effects(database.pool))).toEqual({ pay_1: [1, 2] });
  });

  test("puts an event it cannot digest aside, and handles those around it", async () => {
    const bus = await consuming();
    // The table refuses a sequence of 0.
    const rows = [1, 2, 0, 3].map((sequence) => change("pay_1", sequence));
    await bus.publish(rows);
    await bus.publish(rows);
    expect(sequences(await effects(database.pool))).toEqual({ pay_1: [1, 2, 3] });
    const dead = await deadLetters(database.pool);
    expect(dead).toMatchObject([
      { consumer: "sample", topic: TOPICS.payments, event_id: rows[2]?.eventId },
    ]);
    expect(dead[0]?.payload.equals(rows[2]?.payload ?? Buffer.alloc(0))).toBe(true);
    expect(dead[0]?.error).toContain("effects_sequence_positive");
  });

  test("gives an event several tries before it puts it aside", async () => {
    let tries = 0;
    const bus = await consuming(async (events, tx) => {
      tries++;
      if (tries < 4) throw new Error("a slip");
      await leaveEffects(events, tx);
    });
    await bus.publish([change("pay_1", 1)]);
    expect(await count(database.pool, "effects")).toBe(1);
    expect(await deadLetters(database.pool)).toEqual([]);
  });

  test("waits for a service that is away, for as long as it takes", async () => {
    let faults = 6;
    const bus = await consuming(async (events, tx) => {
      if (faults-- > 0) throw new Failure("service_unavailable", "not there");
      await leaveEffects(events, tx);
    });
    await bus.publish([change("pay_1", 1)]);
    expect(await count(database.pool, "effects")).toBe(1);
    expect(await deadLetters(database.pool)).toEqual([]);
  });

  describe("puts what is no event aside at once, and moves on", () => {
    const paymentEvent = {
      id: "evt_1",
      type: "payment.created",
      projectId: "proj_1",
      resource: { case: "payment", value: { id: "pay_1" } },
    } as const;
    function encoded(init: object) {
      return toBinary(EventSchema, create(EventSchema, init));
    }

    test.each<[string, Uint8Array, string]>([
      ["garbage", Buffer.from("{not protobuf}"), "not an event"],
      ["nothing", Buffer.alloc(0), "an event without an id"],
      ["an event without an id", encoded({ ...paymentEvent, id: "" }), "an event without an id"],
      [
        "an id that no column takes",
        encoded({ ...paymentEvent, id: "evt_\0" }),
        "an event without an id",
      ],
      [
        "an unknown type",
        encoded({ ...paymentEvent, type: "invoice.paid" }),
        "an event of an undefined type",
      ],
      [
        "an event without a project",
        encoded({ ...paymentEvent, projectId: "" }),
        "an event without a project",
      ],
      [
        "another resource than its type says",
        encoded({ ...paymentEvent, type: "refund.created" }),
        "an event without its refund",
      ],
      [
        "a time that no calendar has",
        encoded({ ...paymentEvent, occurredAt: { seconds: 10n ** 15n } }),
        "an event of an impossible time",
      ],
      [
        "a time before all years",
        encoded({ ...paymentEvent, occurredAt: { seconds: -(10n ** 12n) } }),
        "an event of an impossible time",
      ],
    ])("%s", async (_, payload, error) => {
      const bus = await consuming();
      const good = change("pay_1", 1);
      const bad: BusRecord = { ...good, eventId: "evt_claimed", payload };
      await bus.publish([bad, good]);
      expect(sequences(await effects(database.pool))).toEqual({ pay_1: [1] });
      const dead = await deadLetters(database.pool);
      expect(dead).toMatchObject([{ event_id: "evt_claimed", error }]);
      expect(dead[0]?.payload.equals(payload)).toBe(true);
    });
  });

  test("takes a record whose timestamp no calendar has", async () => {
    const bus = await consuming();
    const row = change("pay_1", 1);
    const written = { key: null, value: row.payload, attributes: 0, headers: {} };
    const timestamps = [2n ** 63n - 1n, -(2n ** 63n)].map(String);
    await bus.publish(
      timestamps.map((timestamp, n) => ({
        ...toRecord(row.topic, 0, { ...written, timestamp, offset: `${n}` } as KafkaMessage),
        payload: change("pay_1", n + 1).payload,
      })),
    );
    expect(sequences(await effects(database.pool))).toEqual({ pay_1: [1, 2] });
    expect(await deadLetters(database.pool)).toEqual([]);
  });

  test("takes an event from a newer release, with fields it does not know", async () => {
    const bus = await consuming();
    const row = change("pay_1", 1);
    const unknownField = Buffer.from([0xfa, 0x3e, 0x02, 0x68, 0x69]); // Field 1007, two bytes.
    await bus.publish([{ ...row, payload: Buffer.concat([row.payload, unknownField]) }]);
    expect(await count(database.pool, "effects")).toBe(1);
  });
});

// Promises to events while the database is away, stands still or rejects an unrelated statement.
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
