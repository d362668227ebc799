// Pages that follow payments, over a real connection; what the payments service and the bus deliver is put in by hand.
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type BusRecord, TOPICS, toRecordKey } from "@pay/events";
import { asFailure, Failure } from "@pay/failures";
import { createTestRuntime } from "@pay/process";
import { EventSchema, type PaymentSnapshot, PaymentSnapshotSchema } from "@pay/proto";
import { until } from "@pay/testing";
import {
  detachParser,
  IGNORE_UPGRADES,
  keepDetachedConnections,
} from "../src/http/detach-connection.ts";
import { createStreams, type FollowedPayment, type Streams } from "../src/streams/streams.ts";

const PROJECT = "proj_1";
const ID = "pay_1";
const BOUNDS = { inProcess: 8, perProject: 6, perAddress: 3, perPayment: 2 };

function paymentAt(version: number, status = "created", id = ID, projectId = PROJECT) {
  return create(PaymentSnapshotSchema, { id, projectId, status, version });
}

/** Made here, because a function that is made where a request is handled keeps the request. */
async function render({ status }: FollowedPayment) {
  renders++;
  return { status };
}

function toRecord(payment: PaymentSnapshot): BusRecord {
  const resource = { case: "payment" as const, value: payment };
  const event = create(EventSchema, { id: "evt_1", type: "payment.processing", resource });
  return {
    topic: TOPICS.payments,
    key: toRecordKey(payment.projectId, payment.id),
    eventId: "evt_1",
    type: event.type,
    requestId: "request-1",
    payload: toBinary(EventSchema, event),
  };
}

let life: ReturnType<typeof createTestRuntime>;
let streams: Streams;
let server: Server;
let present: PaymentSnapshot;
let whileAdmitted = async () => {};
let reads: number;
let renders: number;
let admit: (() => Promise<unknown>) | undefined;
let seen: WeakRef<object>[];
const pages: AbortController[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  life = createTestRuntime("streams");
  streams = createStreams({ bounds: BOUNDS, runtime: life });
  present = paymentAt(1);
  whileAdmitted = async () => {};
  reads = 0;
  renders = 0;
  admit = undefined;
  seen = [];
  server = createServer(IGNORE_UPGRADES, (incoming, response) => {
    seen.push(new WeakRef(incoming), new WeakRef(response));
    detachParser(incoming, response);
    const arrivedMs = performance.now();
    const payment = present;
    const address = `${incoming.headers["x-address"]}`;
    whileAdmitted()
      .then(() =>
        streams.open({
          payment,
          arrivedMs,
          response,
          read: async () => {
            reads++;
            return present;
          },
          render,
          address,
          admit,
        }),
      )
      .catch((error) => {
        const { errorCode } = asFailure(error);
        response.writeHead(errorCode === "rate_limited" ? 429 : 503).end(errorCode);
      });
  });
  keepDetachedConnections(server);
  server.on("connection", (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  for (const page of pages.splice(0)) page.abort();
  await life.stop();
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** A page: what it has read so far, and whether the stream has ended. */
async function follow(address = "203.0.113.1") {
  const stop = new AbortController();
  pages.push(stop);
  const { port } = server.address() as AddressInfo;
  const headers = { "X-Address": address };
  const answer = await fetch(`http://127.0.0.1:${port}`, { signal: stop.signal, headers });
  const seen = { status: answer.status, text: "", ended: false, leave: () => stop.abort() };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const part of answer.body ?? []) seen.text += decoder.decode(part);
    seen.ended = true;
  })().catch(() => {});
  return seen;
}

function has(page: { text: string }, text: string) {
  return until(() => page.text.includes(text), { what: `"${text}" on the page` });
}

test("a page gets the present status, and each later one when its event arrives", async () => {
  const page = await follow();
  await has(page, 'event: status\nid: 1\ndata: {"status":"created"}\n\n');
  await streams.take([toRecord(paymentAt(2, "processing")), toRecord(paymentAt(3, "confirmed"))]);
  await has(page, 'id: 3\ndata: {"status":"confirmed"}\n\n');
});

test("a change between the first read and the stream is delivered without a second read", async () => {
  const early = [paymentAt(2, "processing"), paymentAt(3, "confirmed"), paymentAt(2, "processing")];
  whileAdmitted = () => streams.take([...early, paymentAt(9, "failed", "pay_2")].map(toRecord));
  const page = await follow();
  await has(page, 'event: status\nid: 3\ndata: {"status":"confirmed"}\n\n');
  await streams.take([toRecord(paymentAt(1)), toRecord(paymentAt(4, "refunded"))]);
  await has(page, "id: 4\n");
  expect([...page.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(["3", "4"]);
  expect(reads).toBe(0);
});

test("after more changes than are kept the payment is read once more", async () => {
  const others = Array.from({ length: 300 }, () => toRecord(paymentAt(2, "failed", "pay_2")));
  whileAdmitted = async () => {
    await streams.take([toRecord(paymentAt(2, "processing")), ...others]);
    present = paymentAt(2, "processing");
  };
  const page = await follow();
  await has(page, 'id: 2\ndata: {"status":"processing"}\n\n');
  expect(reads).toBe(1);
});

test("an event that arrives again or late is not sent, and neither is another payment's", async () => {
  const page = await follow();
  await has(page, "id: 1\n");
  const late = [paymentAt(3, "confirmed"), paymentAt(2, "processing"), paymentAt(3, "confirmed")];
  await streams.take([...late, paymentAt(9, "failed", "pay_2")].map(toRecord));
  await streams.take([{ ...toRecord(paymentAt(9)), payload: Buffer.from("no event") }]);
  await streams.take([toRecord(paymentAt(4, "refunded"))]);
  await has(page, "id: 4\n");
  expect([...page.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(["1", "3", "4"]);
});

test("of the request of a page that waits nothing is kept in memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const page = await follow();
  await has(page, "id: 1\n");
  function isForgotten() {
    collect();
    return seen.every((one) => one.deref() === undefined);
  }

  await until(isForgotten, { what: "request and response to be forgotten" });
  expect(seen).toHaveLength(2);
  await streams.take([toRecord(paymentAt(2, "processing"))]);
  await has(page, "id: 2\n");
});

test("a client of HTTP/1.0 gets the events without chunks", async () => {
  const { port } = server.address() as AddressInfo;
  const client = connect(port, "127.0.0.1").setEncoding("utf8");
  let text = "";
  client.on("data", (part: string) => {
    text += part;
  });
  client.write("GET / HTTP/1.0\r\n\r\n");
  const events = 'retry: 2000\n\nevent: status\nid: 1\ndata: {"status":"created"}\n\n';
  await until(() => text.endsWith(`\r\n\r\n${events}`), { what: "the first event" });
  client.destroy();
});

test("a page that leaves before its stream begins takes no place", async () => {
  const admitted = Promise.withResolvers<void>();
  whileAdmitted = () => admitted.promise;
  const stop = new AbortController();
  const { port } = server.address() as AddressInfo;
  const asked = fetch(`http://127.0.0.1:${port}`, { signal: stop.signal }).catch(() => {});
  await until(() => seen.length > 0, { what: "the request" });
  stop.abort();
  await asked;
  await until(() => sockets[0]?.destroyed === true, { what: "the end of the connection" });
  admitted.resolve();
  whileAdmitted = async () => {};
  const stayed = [await follow(), await follow()];
  expect(stayed.map(({ status }) => status)).toEqual([200, 200]);
});

test("a payment, an address and a project have shares of the streams, which leave room for others", async () => {
  async function open(id: string, address: string, projectId = PROJECT) {
    present = paymentAt(1, "created", id, projectId);
    return (await follow(address)).status;
  }

  const first = await follow("203.0.113.1");
  expect([await open(ID, "203.0.113.2"), await open(ID, "203.0.113.3")]).toEqual([200, 429]);
  expect([await open("pay_2", "203.0.113.1"), await open("pay_3", "203.0.113.1")]).toEqual([
    200, 200,
  ]);
  expect([await open("pay_4", "203.0.113.1"), await open("pay_4", "203.0.113.2")]).toEqual([
    429, 200,
  ]);
  expect([await open("pay_5", "203.0.113.5"), await open("pay_6", "203.0.113.6")]).toEqual([
    200, 429,
  ]);
  const others = [await open("pay_7", "203.0.113.7", "proj_2"), 200];
  others[1] = await open("pay_8", "203.0.113.8", "proj_2");
  expect(others).toEqual([200, 200]);
  expect(await open("pay_9", "203.0.113.9", "proj_2")).toBe(503);
  first.leave();
  await until(async () => (await open(ID, "203.0.113.1")) === 200, { what: "room" });
});

test("an event is rendered once for all streams of its payment", async () => {
  const watching = [await follow("203.0.113.1"), await follow("203.0.113.2")];
  for (const page of watching) await has(page, "id: 1\n");
  renders = 0;
  await streams.take([toRecord(paymentAt(2, "processing")), toRecord(paymentAt(2, "processing"))]);
  for (const page of watching) await has(page, 'id: 2\ndata: {"status":"processing"}');
  expect(renders).toBe(1);
});

test("a stream ends before the next change when its session has ended", async () => {
  let isActive = true;
  admit = async () => {
    if (!isActive) throw new Failure("session_invalid", "Session is invalid or expired");
  };
  const page = await follow();
  await streams.take([toRecord(paymentAt(2, "processing"))]);
  await has(page, "id: 2\n");
  isActive = false;
  await streams.take([toRecord(paymentAt(3, "confirmed"))]);
  await until(() => page.ended, { what: "the end of the stream" });
  expect(page.text).not.toContain("id: 3");
});

test("a stop ends all streams at once", async () => {
  const page = await follow();
  await has(page, "id: 1\n");
  await life.stop();
  await until(() => page.ended, { what: "the end of the stream" });
});
