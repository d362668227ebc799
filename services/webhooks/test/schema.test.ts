import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { expectKeysOfProjects, expectNoDrift, type TestDatabase, testDatabase } from "@pay/testing";
import { toDeliveryId } from "../src/domain/delivery-id.ts";

test("the migrations yield the schema", () => expectNoDrift("services/webhooks"));

test("keys begin with the project", () =>
  expectKeysOfProjects("services/webhooks", {
    attempts: "part of a delivery",
    deliveries:
      "part of an event: with the project in its keys a delivery costs the database 1.6 times as much",
    endpoint_hours: "written by workers, which know an endpoint by its id alone",
    endpoint_loads: "written by workers, which know an endpoint by its id alone",
    "endpoints.endpoints_pkey":
      "a delivery names its endpoint by the id alone, so two of one id would be one receiver",
    "events.events_pkey":
      "deliveries point to it by the id alone, and an event that the bus repeats is stored once",
    workers: "processes of the service",
  }));

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase("services/webhooks");
});

afterAll(() => database.drop());

test("ids of deliveries sort by time of creation", async () => {
  const rounds: { id: string; after: string }[] = [];
  for (let at = 0; at < 50; at++) {
    const { rows } = await database.pool.query<{ id: string; after: string }>(
      `insert into deliveries (event_id, endpoint_id, redeliveries, next_attempt_at)
       values ('evt_1', 'we_1', $1, now())
       returning id, (extract(epoch from clock_timestamp()) * 1000)::bigint as after`,
      [at],
    );
    rounds.push(...rows);
  }
  const times = rounds.map(({ id }) => Number(`0x${id.replace("-", "").slice(0, 12)}`));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  for (const [at, { after }] of rounds.entries()) {
    expect(Math.abs(Number(after) - (times[at] ?? 0))).toBeLessThan(10_000);
  }
  const [first = "", last = ""] = [rounds[0]?.id, rounds.at(-1)?.id];
  expect(times[0]).toBeLessThan(times.at(-1) ?? 0);
  expect(toDeliveryId(first) < toDeliveryId(last)).toBe(true);
  expect(new Set(rounds.map(({ id }) => id.slice(19))).size).toBe(50);
});
