import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import type { Services } from "../services/services.ts";
import { listNeeds, type Position } from "./list-needs.ts";
import { describeEndpoint, type Need } from "./need.ts";
import type { Source, SourceName } from "./sources.ts";

function need(id: string, minute: number): Need {
  const nothing = describeEndpoint({
    $typeName: "webhooks.v1.FailingEndpoint",
    endpoint: { disabledReason: "" } as never,
    failures: 0,
    failingSince: { $typeName: "google.protobuf.Timestamp", seconds: 0n, nanos: 0 },
  });
  return { ...nothing, id, at: new Date(minute * 60_000) };
}

/** Its records in pages of two. */
function source(name: SourceName, rows: readonly Need[]): Source {
  return {
    name,
    prefix: "pay",
    scope: "payments:read",
    kinds: [],
    list: async (_, after) => {
      const from = after === "" ? 0 : rows.findIndex(({ id }) => id === after) + 1;
      const page = rows.slice(from, from + 2);
      return {
        rows: page.map((one) => ({ id: one.id, need: one })),
        isEnd: from + 2 >= rows.length,
      };
    },
    find: async () => undefined,
  };
}

function list(sources: readonly Source[], position: Position, limit: number, done: string[] = []) {
  return listNeeds({
    services: {} as Services,
    sources,
    position,
    limit,
    isWanted: ({ id }) => !done.includes(id),
    findStates: async () => new Map(),
  });
}

const PAYMENTS = source(
  "payments",
  [9, 8, 7, 2, 1].map((minute) => need(`pay_${minute}`, minute)),
);
const REFUNDS = source(
  "refunds",
  [6, 5, 4].map((minute) => need(`refund_${minute}`, minute)),
);

async function walk(limit: number, done: string[] = []) {
  const pages: string[][] = [];
  for (let position: Position | undefined = {}; position !== undefined; ) {
    const page = await list([PAYMENTS, REFUNDS], position, limit, done);
    pages.push(page.needs.map(({ id }) => id));
    position = page.next;
  }
  return pages;
}

const ALL = ["pay_9", "pay_8", "pay_7", "refund_6", "refund_5", "refund_4", "pay_2", "pay_1"];

test.each([1, 2, 3, 5, 8, 100])("pages of %i go on where the last one ended", async (limit) => {
  const pages = await walk(limit);
  expect(pages.flat()).toEqual(ALL);
  expect(pages[0]).toEqual(ALL.slice(0, limit));
});

test("what is done is passed over, however much of it there is", async () => {
  expect((await walk(1, ALL.slice(0, 7))).flat()).toEqual(["pay_1"]);
});

test("a service that is away is named, and asked again by the next page", async () => {
  const away: Source = {
    ...REFUNDS,
    list: async () => {
      throw new Failure("service_unavailable", "Service is unavailable");
    },
  };
  const page = await list([PAYMENTS, away], {}, 3);
  expect(page.incomplete).toEqual(["refunds"]);
  const next = await list([PAYMENTS, REFUNDS], page.next ?? {}, 100);
  expect(next.needs.map(({ id }) => id)).toEqual(ALL.slice(3));
});
