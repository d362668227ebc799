import { createSecretKey } from "node:crypto";
import { expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import type { Target } from "./endpoint-cache.ts";
import { createEndpointQueues, type EndpointQueue } from "./endpoint-queues.ts";
import { createEndpointRefresh } from "./refresh-endpoints.ts";

function target(version: string, rotating = false): Target {
  const key = createSecretKey(Buffer.from("k"));
  return {
    version,
    url: `https://shop.example/${version}`,
    scheme: "v1",
    concurrencyMax: 8,
    key,
    nextKey: rotating ? key : undefined,
    disabled: false,
  };
}

function setUp() {
  let nowMs = 0;
  const questions: ((version: string, rotating?: boolean) => void)[] = [];
  const queues = createEndpointQueues({
    inFlightMax: 1,
    isOpen: () => true,
    computeShare: ({ slots }) => slots,
    start: () => {},
  });
  const endpointRefresh = createEndpointRefresh({
    endpointCache: {
      find: ([id = ""]) =>
        new Promise((resolve) => {
          questions.push((...known) => resolve(new Map([[id, target(...known)]])));
        }),
    },
    log: createLog("endpointRefresh", "silent"),
    now: () => nowMs,
    onKnown: () => {},
  });
  const queue: EndpointQueue = queues.of("we_1");
  async function answer(version: string, rotating?: boolean) {
    questions.shift()?.(version, rotating);
    await turn();
  }

  function known() {
    return queue.isStale ? undefined : queue.target?.version;
  }

  /** What a delivery that is taken in now knows of the endpoint. */
  function seen(endpointVersion: string | undefined) {
    return { endpointVersion, loadedAt: nowMs };
  }

  function pass(ms: number) {
    nowMs += ms;
  }

  return { endpointRefresh, queue, questions, answer, known, seen, pass };
}

/** What was put off to the next turn of the loop has happened. */
async function turn() {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

test("a fresh endpoint is looked up once", async () => {
  const { endpointRefresh, queue, questions, answer, known, seen, pass } = setUp();
  endpointRefresh.ensureFresh(queue, seen("1"));
  await turn();
  await answer("1");
  for (let i = 0; i < 5; i++) endpointRefresh.ensureFresh(queue, seen("1"));
  endpointRefresh.ensureFresh(queue);
  await turn();
  expect([known(), questions.length]).toEqual(["1", 0]);
  pass(1_000);
  endpointRefresh.ensureFresh(queue);
  await turn();
  expect([known(), questions.length]).toEqual([undefined, 1]);
});

test("a delivery after a change makes its queue wait for the changed endpoint", async () => {
  const { endpointRefresh, queue, answer, known, seen } = setUp();
  endpointRefresh.ensureFresh(queue, seen("1"));
  await turn();
  await answer("1");
  endpointRefresh.ensureFresh(queue, seen("2"));
  expect(known()).toBeUndefined();
  await turn();
  await answer("2");
  expect(known()).toBe("2");
});

test("a look-up before a change does not confirm a delivery after it", async () => {
  const { endpointRefresh, queue, answer, known, seen } = setUp();
  endpointRefresh.ensureFresh(queue, seen("1"));
  await turn();
  endpointRefresh.ensureFresh(queue, seen("2"));
  await answer("1");
  expect(known()).toBeUndefined();
  await answer("2");
  expect(known()).toBe("2");
});

test("deliveries before a change do not cause endless look-ups", async () => {
  const { endpointRefresh, queue, questions, answer, known, seen } = setUp();
  endpointRefresh.ensureFresh(queue, seen("1"));
  await turn();
  await answer("2");
  for (let i = 0; i < 5; i++) endpointRefresh.ensureFresh(queue, seen("1"));
  await turn();
  expect([known(), questions.length]).toEqual(["2", 0]);
});

test("deliveries with the known version keep their endpoint fresh", async () => {
  const { endpointRefresh, queue, questions, answer, known, seen, pass } = setUp();
  endpointRefresh.ensureFresh(queue, seen("1"));
  await turn();
  await answer("1");
  for (let i = 0; i < 5; i++) {
    pass(600);
    endpointRefresh.ensureFresh(queue, seen("1"));
  }
  await turn();
  expect([known(), questions.length]).toEqual(["1", 0]);
  const late = seen("1");
  pass(1_000);
  endpointRefresh.ensureFresh(queue, late);
  await turn();
  expect([known(), questions.length]).toEqual([undefined, 1]);
});

test("no delivery keeps its endpoint fresh during a rotation", async () => {
  const { endpointRefresh, queue, questions, answer, known, seen, pass } = setUp();
  endpointRefresh.ensureFresh(queue, seen("1"));
  await turn();
  await answer("1", true);
  pass(600);
  endpointRefresh.ensureFresh(queue, seen("1"));
  expect([known(), questions.length]).toEqual(["1", 0]);
  pass(600);
  endpointRefresh.ensureFresh(queue, seen("1"));
  await turn();
  expect([known(), questions.length]).toEqual([undefined, 1]);
});

test("a delivery without a version causes a look-up", async () => {
  const { endpointRefresh, queue, questions, known, seen } = setUp();
  endpointRefresh.ensureFresh(queue, seen(undefined));
  await turn();
  expect([known(), questions.length]).toEqual([undefined, 1]);
});
