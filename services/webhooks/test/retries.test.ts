import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import { type Received, type Receiver, startReceiver, until } from "@pay/testing";
import { verifyWebhook } from "../src/index.ts";
import { createManualTimeline, type ManualTimeline } from "./manual-timeline.ts";
import {
  aMerchant,
  authority,
  ended,
  type Merchant,
  paymentEvent,
  projectEvent,
  publish,
  startTestWebhooks,
  storedDeliveries,
  type TestWebhooks,
} from "./webhooks.ts";

async function readAttempts(webhooks: TestWebhooks, eventId: string) {
  const { rows } = await webhooks.pool.query(
    `select number, status_code, error, response, response_complete, retry_after, duration_ms
     from attempts join deliveries on deliveries.id = delivery_id where event_id = $1 order by number`,
    [eventId],
  );
  return rows;
}

describe("with a manual clock", () => {
  let webhooks: TestWebhooks;
  let timeline: ManualTimeline;
  let receiver: Receiver;
  let merchant: Merchant;
  let now = new Date("2026-03-01T12:00:00Z");
  const lines: string[] = [];

  beforeAll(async () => {
    timeline = createManualTimeline();
    const log = createLog("webhooks", "info", { write: (line) => void lines.push(line) });
    webhooks = await startTestWebhooks({ timeline, log, clock: { now: () => now } });
  });
  afterAll(() => webhooks?.stop());
  beforeEach(async () => {
    now = new Date("2026-03-01T12:00:00Z");
    receiver = await startReceiver({ authority });
    merchant = await aMerchant(webhooks, receiver.url);
  });
  afterEach(() => receiver.stop());

  async function send() {
    const [eventId = ""] = await publish(webhooks.bus, paymentEvent(merchant.projectId));
    return eventId;
  }

  function written(eventId: string, attempts: number) {
    return until(
      async () => {
        const [delivery] = await storedDeliveries(webhooks, eventId);
        return delivery?.attempts === attempts ? delivery : undefined;
      },
      { what: `attempt ${attempts}` },
    );
  }

  /** The next attempt starts at this rest and not a millisecond before. */
  async function rest(eventId: string, attempt: number, ms: number): Promise<Received> {
    await written(eventId, attempt - 1);
    timeline.advanceBy(ms - 1);
    const before = receiver.all.length;
    const [{ attempts } = { attempts: -1 }] = await storedDeliveries(webhooks, eventId);
    expect([receiver.all.length, attempts]).toEqual([before, attempt - 1]);
    timeline.advanceBy(1);
    return receiver.next();
  }

  test("a delivery has four attempts after 0, 1, 5 and 30 seconds, each signed anew", async () => {
    receiver.respondWith(500);
    const eventId = await send();
    const requests = [await receiver.next()];
    for (const [at, ms] of [1_000, 5_000, 30_000].entries()) {
      now = new Date(now.getTime() + ms);
      requests.push(await rest(eventId, at + 2, ms));
    }
    expect(await ended(webhooks, eventId)).toMatchObject({ state: "failed", attempts: 4 });
    timeline.advanceBy(3_600_000);
    receiver.respondWith(200);
    const delivered = await send();
    await ended(webhooks, delivered);
    expect(receiver.all).toHaveLength(5);
    function said(id: string) {
      const about = lines.map((line) => JSON.parse(line)).filter((line) => line.eventId === id);
      return about.map((line) => [line.level, line.msg, line.attempt, line.statusCode]);
    }
    await until(() => said(delivered).length === 1, { what: "the line of a delivery" });
    const retried = "a delivery failed and is tried again";
    expect(said(eventId)).toEqual([
      ["info", retried, 1, 500],
      ["info", retried, 2, 500],
      ["info", retried, 3, 500],
      ["warn", "a delivery failed", 4, 500],
    ]);
    expect(said(delivered)).toEqual([["info", "delivered", 1, 200]]);
    expect(lines.join()).not.toContain(new URL(receiver.url).host);
    expect(requests.map(({ headers }) => headers["x-service-attempt"])).toEqual([
      "1",
      "2",
      "3",
      "4",
    ]);
    expect(new Set(requests.map(({ headers }) => headers["x-service-event-id"])).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers["x-service-signature"])).size).toBe(4);
    expect(new Set(requests.map(({ body }) => body.toString())).size).toBe(1);
    const firstAt = new Date("2026-03-01T12:00:00Z").getTime();
    const ages = requests.map(
      ({ headers }) => Number(headers["x-service-timestamp"]) - firstAt / 1_000,
    );
    expect(ages).toEqual([0, 1, 6, 36]);
    for (const { headers, body } of requests) {
      expect(verifyWebhook(merchant.secret, headers, body, { now })).toBe(true);
    }
    const log = await readAttempts(webhooks, eventId);
    expect(log.map((one) => [one.number, one.status_code, one.error])).toEqual([
      [1, 500, "bad_status"],
      [2, 500, "bad_status"],
      [3, 500, "bad_status"],
      [4, 500, "bad_status"],
    ]);
  });

  test.each([2, 3, 4])("a success at attempt %i ends the delivery", async (attempt) => {
    const failures = Array.from({ length: attempt - 1 }, () => 503);
    receiver.respondWith(503, ...failures.slice(1), 200);
    const eventId = await send();
    await receiver.next();
    for (let number = 2; number <= attempt; number++) {
      await rest(eventId, number, [0, 0, 1_000, 5_000, 30_000][number] ?? 0);
    }
    expect(await ended(webhooks, eventId)).toMatchObject({ state: "delivered", attempts: attempt });
    timeline.advanceBy(3_600_000);
    expect(receiver.all).toHaveLength(attempt);
  });

  test.each([301, 302, 303, 307, 308, 400, 401, 404, 408, 410, 422, 429, 500, 503])(
    "a response of %i is retried like every other failure",
    async (status) => {
      receiver.respondWith(
        { status, headers: { location: `${receiver.url}/elsewhere`, "retry-after": "120" } },
        200,
      );
      const eventId = await send();
      await receiver.next();
      await rest(eventId, 2, 1_000);
      await ended(webhooks, eventId);
      expect(receiver.all.map(({ path }) => path)).toEqual(["/", "/"]);
      const [first] = await readAttempts(webhooks, eventId);
      expect(first).toMatchObject({ status_code: status, retry_after: "120" });
    },
  );

  test("a broken connection is logged with its own error", async () => {
    receiver.respondWith("reset", "garbage", 200);
    const eventId = await send();
    await receiver.next();
    await rest(eventId, 2, 1_000);
    await rest(eventId, 3, 5_000);
    await ended(webhooks, eventId);
    const log = await readAttempts(webhooks, eventId);
    expect(log.map(({ error }) => error)).toEqual(["connection_reset", "bad_response", null]);
  });

  /** Holds its responses until the test releases all of them at once. */
  function holdResponses() {
    let held: ServerResponse[] = [];
    receiver.respondWith((_request, response) => void held.push(response));
    return async (count: number, status: number) => {
      await until(() => held.length >= count, { what: `${count} requests in flight` });
      const responses = held;
      held = [];
      for (const response of responses) response.writeHead(status).end();
      return responses.length;
    };
  }

  test("four events to an overloaded receiver keep their schedule before later events", async () => {
    const release = holdResponses();
    const ids = await publish(
      webhooks.bus,
      ...Array.from({ length: 4 }, () => paymentEvent(merchant.projectId)),
    );
    for (const [at, ms] of [0, 1_000, 5_000, 30_000].entries()) {
      await until(() => receiver.inFlight.now === 0);
      timeline.advanceBy(ms);
      await until(() => receiver.inFlight.now === 4);
      // It waits for a slot, and the retries take all of them.
      const [later = ""] = await publish(webhooks.bus, paymentEvent(merchant.projectId));
      expect(await release(4, 503)).toBe(4);
      for (const id of ids) await written(id, at + 1);
      expect(await release(1, 200)).toBe(1);
      expect(await ended(webhooks, later)).toMatchObject({ state: "delivered" });
    }
    for (const id of ids) expect(await ended(webhooks, id)).toMatchObject({ state: "failed" });
    expect(receiver.inFlight.most).toBe(4);
  });

  test("a receiver that answers late gets more requests at once with each success", async () => {
    const release = holdResponses();
    const events = Array.from({ length: 20 }, () => paymentEvent(merchant.projectId));
    const ids = await publish(webhooks.bus, ...events);
    // Three rounds: where each takes 2.5 s, all are delivered within 10 s.
    expect([await release(4, 200), await release(8, 200), await release(8, 200)]).toEqual([
      4, 8, 8,
    ]);
    for (const id of ids) expect(await ended(webhooks, id)).toMatchObject({ state: "delivered" });
    expect(receiver.inFlight.most).toBe(8);
  });

  test("the next attempt uses a changed url", async () => {
    const second = await startReceiver({ authority });
    receiver.respondWith(500);
    const eventId = await send();
    await receiver.next();
    await publish(webhooks.bus, projectEvent(merchant.projectId, `${second.url}/moved`, 2));
    await written(eventId, 1);
    timeline.advanceBy(1_000);
    expect(await second.next()).toMatchObject({ path: "/moved" });
    await ended(webhooks, eventId);
    expect(receiver.all).toHaveLength(1);
    await second.stop();
  });

  test("retries of a deleted endpoint fail and those of a disabled one are parked, without a request", async () => {
    receiver.respondWith(500);
    for (const [change, state] of [
      ["delete from endpoints", "failed"],
      ["update endpoints set enabled = false", "parked"],
    ] as const) {
      merchant = await aMerchant(webhooks, receiver.url);
      const eventId = await send();
      await receiver.next();
      await written(eventId, 1);
      await webhooks.pool.query(`${change} where id = $1`, [merchant.endpointId]);
      timeline.advanceBy(1_001);
      expect(await ended(webhooks, eventId)).toMatchObject({ state, attempts: 1 });
    }
    expect(receiver.all).toHaveLength(2);
  });

  test("the log keeps the beginning of a long response and marks it incomplete", async () => {
    receiver.respondWith({ status: 200, body: "x".repeat(10_000) });
    const eventId = await send();
    await ended(webhooks, eventId);
    const [attempt] = await readAttempts(webhooks, eventId);
    expect(attempt.response.length).toBe(4_096);
    expect(attempt.response_complete).toBe(false);
  });

  test("a jump of the wall clock moves no attempt", async () => {
    receiver.respondWith(500, 200);
    const eventId = await send();
    await receiver.next();
    now = new Date(now.getTime() + 3_600_000);
    await rest(eventId, 2, 1_000);
    await ended(webhooks, eventId);
    now = new Date(now.getTime() - 7_200_000);
    receiver.respondWith(500, 200);
    const second = await send();
    await receiver.next();
    await rest(second, 2, 1_000);
    await ended(webhooks, second);
  });
});

describe("with the real clock", () => {
  let webhooks: TestWebhooks;
  /** Both run at the same time, because real time is what costs here. */
  const stories = new Map<
    string,
    Promise<{ receiver: Receiver; eventId: string; publishedAt: number }>
  >();

  async function tell(...scripts: Parameters<Receiver["respondWith"]>) {
    const receiver = await startReceiver({ authority });
    const { projectId } = await aMerchant(webhooks, receiver.url);
    receiver.respondWith(...scripts);
    const publishedAt = performance.now();
    const [eventId = ""] = await publish(webhooks.bus, paymentEvent(projectId));
    return { receiver, eventId, publishedAt };
  }

  async function readStory(name: string) {
    const story = await stories.get(name);
    if (story === undefined) throw new Error(`no story ${name}`);
    const delivery = await ended(webhooks, story.eventId);
    const at = story.receiver.all.map(({ arrivedAt }) => arrivedAt);
    return { ...story, delivery, at, slowMs: 3 * ((at[0] ?? 0) - story.publishedAt) };
  }

  beforeAll(async () => {
    webhooks = await startTestWebhooks();
    // Slow, and far enough from ten seconds that a machine which stands still for a moment does not make it too slow.
    stories.set("hanging", tell("hang", { status: 200, delayMs: 4_000 }));
    // Three times, seconds apart: other work on the machine may delay one of them, never all.
    const first = tell(500);
    stories.set("failing", first);
    for (const [name, attempts] of [
      ["failing later", 2],
      ["failing last", 3],
    ] as const) {
      const { receiver } = await first;
      await until(() => receiver.all.length >= attempts, { what: `attempt ${attempts}` });
      stories.set(name, tell(500));
    }
  });
  afterAll(async () => {
    for (const story of stories.values()) await (await story).receiver.stop();
    await webhooks?.stop();
  });

  test("retries start never early and at most half a second late", async () => {
    const endpoints = ["failing", "failing later", "failing last"].map(readStory);
    const three = await Promise.all(endpoints);
    const arrivals = three.map(({ at }) => at);
    // What the machine adds to a rest is what it adds to the first attempt, which has none.
    const slowMs = Math.max(...three.map((story) => story.slowMs));
    for (const [index, restMs] of [1_000, 5_000, 30_000].entries()) {
      const lateMs = arrivals.map((at) => (at[index + 1] ?? 0) - (at[index] ?? 0) - restMs);
      expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
      expect(Math.min(...lateMs)).toBeLessThan(500 + slowMs);
    }
    for (const at of arrivals) expect(at).toHaveLength(4);
  });

  test("ten seconds without a response are a timeout, and the delay starts at its end", async () => {
    const { at, slowMs, eventId, delivery } = await readStory("hanging");
    expect(delivery).toMatchObject({ state: "delivered", attempts: 2 });
    const [first = 0, second = 0] = at;
    // The ten seconds begin with the connection, which is before the receiver has the request.
    expect(second - first).toBeGreaterThanOrEqual(10_900 - slowMs);
    expect(second - first).toBeLessThan(12_500 + slowMs);
    const [timeout] = await readAttempts(webhooks, eventId);
    expect(timeout).toMatchObject({ error: "timeout", status_code: null });
  });
});
