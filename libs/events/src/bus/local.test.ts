import { expect, test } from "@jest/globals";
import { TOPICS } from "../event-types.ts";
import type { BusRecord } from "./bus.ts";
import { createLocalBus } from "./local.ts";

function records(count: number): BusRecord[] {
  return Array.from({ length: count }, (_, n) => ({
    topic: TOPICS.payments,
    key: "proj_1",
    eventId: `evt_${n}`,
    type: "payment.created",
    requestId: "req_1",
    payload: Buffer.from([n % 256]),
  }));
}

test("what is left over from the last run waits for the last consumer that is to come", async () => {
  const allStarted = Promise.withResolvers<void>();
  const bus = createLocalBus({ openWhen: allStarted.promise });
  const seen: Record<string, number> = { early: 0, late: 0 };
  function subscribe(group: string) {
    return bus.subscribe({
      group,
      topics: [TOPICS.payments],
      handle: async (list) => {
        seen[group] = (seen[group] ?? 0) + list.length;
      },
    });
  }

  const published = bus.publish(records(3));
  await subscribe("early");
  expect(seen).toEqual({ early: 0, late: 0 });
  await subscribe("late");
  allStarted.resolve();
  await published;
  expect(seen).toEqual({ early: 3, late: 3 });
});

test("a long list is handed over in lists that a transaction can bear", async () => {
  const bus = createLocalBus();
  const lists: BusRecord[][] = [];
  async function handle(list: BusRecord[]) {
    return void lists.push(list);
  }

  await bus.subscribe({ group: "one", topics: [TOPICS.payments], handle });
  const sent = records(1_200);
  await bus.publish(sent);
  expect(lists.map((list) => list.length)).toEqual([500, 500, 200]);
  expect(lists.flat()).toEqual(sent);
});

test("publish rejects when one of several consumers fails, after the others are done", async () => {
  const bus = createLocalBus();
  let done = 0;
  const topics = [TOPICS.payments];
  await bus.subscribe({
    group: "failing",
    topics,
    handle: async () => {
      throw new Error("not now");
    },
  });
  await bus.subscribe({
    group: "steady",
    topics,
    handle: async (list) => {
      done += list.length;
    },
  });
  await expect(bus.publish(records(2))).rejects.toThrow("not now");
  expect(done).toBe(2);
});

test("a bus that is closed before it opened ends every publish that waits", async () => {
  const bus = createLocalBus({ openWhen: new Promise(() => {}) });
  const published = bus.publish(records(1));
  await bus.close();
  await expect(published).rejects.toThrow("the bus is closed");
});
