import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import {
  addPastPartitions,
  describeWithPostgres,
  type TestDatabase,
  testDatabase,
} from "@pay/testing";
import { newId } from "@pay/values";
import {
  type Bus,
  type BusRecord,
  consume,
  createLocalBus,
  type EventType,
  outboxRow,
} from "../src/index.ts";
import { aProcess, change, count, effects, SAMPLE, sequences } from "./arrange.ts";
import { leaveEffects } from "./leave-effects.ts";

const DAY_MS = 86_400_000;

describeWithPostgres("the inbox of a consumer", () => {
  let database: TestDatabase;
  const processes: { stop(): Promise<boolean> }[] = [];

  beforeAll(async () => {
    database = await testDatabase(SAMPLE);
    await addPastPartitions(database.pool, "inbox_ids", 5);
  });
  afterAll(() => database.drop());

  beforeEach(() =>
    database.pool.query("truncate effects, inbox_ids, inbox_positions, dead_letters"),
  );
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((one) => one.stop()));
  });

  async function consuming(types: readonly EventType[] = ["payment.processing"]): Promise<Bus> {
    const bus = createLocalBus();
    const runtime = aProcess(database.url);
    processes.push(runtime);
    const { db } = runtime;
    await consume({ bus, db, runtime, consumer: "sample", types, handle: leaveEffects });
    return bus;
  }

  /** A change as a bus delivers it that keeps its records. */
  function placed(sequence: number, offset: number, publishedAt = new Date()): BusRecord {
    return {
      ...change("pay_1", sequence),
      place: { partition: 3, offset: `${offset}`, publishedAt },
    };
  }

  function daysAgo(days: number): Date {
    return new Date(Date.now() - days * DAY_MS);
  }

  async function handled(): Promise<number[]> {
    return sequences(await effects(database.pool)).pay_1 ?? [];
  }

  test("an event of a type that the consumer does not ask for leaves nothing behind", async () => {
    const bus = await consuming(["payment.confirmed"]);
    const row = change("pay_1", 1);
    await bus.publish([row, { ...row, type: "", eventId: newId("evt") }]);
    expect(await handled()).toEqual([]);
    for (const table of ["inbox_ids", "inbox_positions", "dead_letters"]) {
      expect(await count(database.pool, table)).toBe(0);
    }
  });

  test("an event whose id is in the partition of an earlier day is a repeat", async () => {
    const bus = await consuming();
    const id = newId("evt");
    const occurred = (at: Date) =>
      outboxRow({
        id,
        type: "payment.processing",
        projectId: "proj_1",
        resourceId: "pay_1",
        sequence: 1,
        occurredAt: timestampFromDate(at),
        resource: { case: "payment", value: { id: "pay_1", projectId: "proj_1", version: 1 } },
      });
    const row = occurred(daysAgo(5));
    await bus.publish([row]);
    await database.pool.query("update inbox_ids set day = day - interval '5 days'");
    await bus.publish([row]);
    expect(await handled()).toEqual([1]);
  });

  test("records that the bus delivers again after their ids have left are repeats", async () => {
    const bus = await consuming();
    const records = [1, 2, 3].map((n) => placed(n, n + 100, daysAgo(20)));
    await bus.publish(records);
    await database.pool.query("truncate inbox_ids");
    await bus.publish(records.slice(0, 2));
    await bus.publish([...records, placed(4, 104, daysAgo(20))]);
    expect(await handled()).toEqual([1, 2, 3, 4]);
  });

  test("records of a topic that was created anew are handled, although its offsets begin again", async () => {
    const bus = await consuming();
    await bus.publish([placed(1, 5_000, daysAgo(20))]);
    await bus.publish([placed(2, 0), placed(3, 1)]);
    expect(await handled()).toEqual([1, 2, 3]);
    const { rows } = await database.pool.query("select record_offset::int from inbox_positions");
    expect(rows).toEqual([{ record_offset: 1 }]);
  });

  test("members that get the same records at once handle each of them once", async () => {
    const members = [await consuming(), await consuming(), await consuming()];
    const records = Array.from({ length: 50 }, (_, n) => placed(n + 1, n));
    await Promise.all(members.map((bus) => bus.publish(records)));
    expect(await handled()).toEqual(records.map((_, n) => n + 1));
  });

  test("an event that a relay publishes again far behind the position is a repeat", async () => {
    const bus = await consuming();
    const first = placed(1, 10);
    await bus.publish([first]);
    await bus.publish([
      { ...first, place: { partition: 3, offset: "90", publishedAt: new Date() } },
    ]);
    expect(await handled()).toEqual([1]);
  });
});
