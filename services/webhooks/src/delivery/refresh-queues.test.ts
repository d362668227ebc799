import { createSecretKey } from "node:crypto";
import { expect, test } from "@jest/globals";
import { FIRST_PACE } from "../domain/pacing.ts";
import { createDeliveryBuffer } from "./delivery-buffer.ts";
import { createEndpointQueues, type EndpointQueue } from "./endpoint-queues.ts";
import { refreshQueues } from "./refresh-queues.ts";

const DELIVERY = {
  day: new Date(0),
  owner: 1,
  attempts: 0,
  eventId: "evt",
  projectId: "proj_1",
  requestId: "",
  mode: 1,
  eventType: "t",
  sequence: 1,
  occurredAt: new Date(0),
  isRedelivery: false,
  body: Buffer.alloc(0),
  loadedAt: 0,
  dueAt: 0,
};

test("a hanging endpoint without a free slot is looked up when a slot is free", async () => {
  const requested: string[] = [];
  const queues = createEndpointQueues({
    inFlightMax: 100,
    isOpen: () => true,
    computeShare: ({ slots }) => slots,
    start: () => {},
  });
  const buffer = createDeliveryBuffer({ queues, onFull: () => {}, onRoom: () => {} });
  let made = 0;
  function queueWith(endpointId: string, proven: boolean): EndpointQueue {
    const queue = queues.of(endpointId);
    queue.pace = { ...FIRST_PACE, proven };
    queue.targetAt = 0;
    queue.target = {
      version: "1",
      url: "https://shop.example/",
      scheme: "v1",
      concurrencyMax: 1,
      key: createSecretKey(Buffer.from("k")),
      nextKey: undefined,
      disabled: false,
    };
    for (let count = 0; count < 2; count++) {
      made++;
      queues.add({ ...DELIVERY, endpointId, id: `dlv_${made}`, resourceId: `pay_${made}` });
    }
    return queue;
  }

  async function refresh(): Promise<string[]> {
    requested.length = 0;
    const endpointRefresh = {
      lookUp: async (list: EndpointQueue[]) => {
        requested.push(...list.map(({ endpointId }) => endpointId));
      },
      ensureFresh: () => {},
    };
    await refreshQueues({ queues, buffer, endpointRefresh, returnDeliveries: async () => {} }, 0);
    return requested;
  }

  const hanging = queueWith("we_hangs", false);
  queueWith("we_quick", true);
  queues.pump();
  queueWith("we_waits", false);
  expect(await refresh()).toEqual(["we_quick", "we_waits"]);

  hanging.isStale = true;
  expect(await refresh()).toContain("we_hangs");
  hanging.isStale = false;

  queues.ended(
    hanging,
    { ...DELIVERY, endpointId: "we_hangs", id: "dlv_1", resourceId: "pay_1" },
    {
      statusCode: undefined,
      error: "timeout",
      durationMs: 10_000,
    },
  );
  expect(await refresh()).toContain("we_hangs");
});
