import { createSecretKey } from "node:crypto";
import { expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import type { Target } from "./endpoint-cache.ts";
import { createEndpointQueues, type EndpointQueue } from "./endpoint-queues.ts";
import { createEndpointRefresh } from "./refresh-endpoints.ts";

function target(version: string): Target {
  return {
    version,
    url: `https://shop.example/${version}`,
    scheme: "v1",
    concurrencyMax: 8,
    key: createSecretKey(Buffer.from("k")),
    nextKey: undefined,
    disabled: false,
  };
}

function setUp() {
  let nowMs = 0;
  const questions: ((version: string) => void)[] = [];
  const queues = createEndpointQueues({
    inFlightMax: 1,
    isOpen: () => true,
    slotsOf: ({ slots }) => slots,
    start: () => {},
  });
  const endpointRefresh = createEndpointRefresh({
    endpointCache: {
      find: ([id = ""]) =>
        new Promise((resolve) => {
          questions.push((version) => resolve(new Map([[id, target(version)]])));
        }),
    },
    log: createLog("endpointRefresh", "silent"),
    now: () => nowMs,
    onKnown: () => {},
  });
  const queue: EndpointQueue = queues.of("we_1");
  async function answer(version: string) {
    questions.shift()?.(version);
    await turn();
  }

  function known() {
    return queue.inDoubt ? undefined : queue.target?.version;
  }

  return { endpointRefresh, queue, questions, answer, known, pass: (ms: number) => (nowMs += ms) };
}

/** What was put off to the next turn of the loop has happened. */
async function turn() {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

test("an endpoint is asked for once while what is known of it is fresh", async () => {
  const { endpointRefresh, queue, questions, answer, known, pass } = setUp();
  endpointRefresh.ensureFresh(queue, "1");
  await turn();
  await answer("1");
  for (let i = 0; i < 5; i++) endpointRefresh.ensureFresh(queue, "1");
  endpointRefresh.ensureFresh(queue);
  await turn();
  expect([known(), questions.length]).toEqual(["1", 0]);
  pass(1_000);
  endpointRefresh.ensureFresh(queue);
  await turn();
  expect([known(), questions.length]).toEqual([undefined, 1]);
});

test("a delivery from after a change makes its queue wait for the changed endpoint", async () => {
  const { endpointRefresh, queue, answer, known } = setUp();
  endpointRefresh.ensureFresh(queue, "1");
  await turn();
  await answer("1");
  endpointRefresh.ensureFresh(queue, "2");
  expect(known()).toBeUndefined();
  await turn();
  await answer("2");
  expect(known()).toBe("2");
});

test("an answer from before a change does not count for what came after the question", async () => {
  const { endpointRefresh, queue, answer, known } = setUp();
  endpointRefresh.ensureFresh(queue, "1");
  await turn();
  endpointRefresh.ensureFresh(queue, "2");
  await answer("1");
  expect(known()).toBeUndefined();
  await answer("2");
  expect(known()).toBe("2");
});

test("deliveries from before a change do not make their queue ask for ever", async () => {
  const { endpointRefresh, queue, questions, answer, known } = setUp();
  endpointRefresh.ensureFresh(queue, "1");
  await turn();
  await answer("2");
  for (let i = 0; i < 5; i++) endpointRefresh.ensureFresh(queue, "1");
  await turn();
  expect([known(), questions.length]).toEqual(["2", 0]);
});
