// Receivers that follow their project's events, with the real webhooks service behind the gateway.
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { Writable } from "node:stream";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { createLocalBus, outboxRow } from "@pay/events";
import { createLog } from "@pay/process";
import { Mode } from "@pay/proto";
import { describeWithPostgres, until } from "@pay/testing";
import { newId } from "@pay/values";
import { register } from "prom-client";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { startTestWebhooks, type TestWebhooks } from "./webhooks.ts";

const PER_PROJECT_MAX = 10;
/** More than a stream reads at a time. */
const MANY = 120;

describeWithPostgres("a stream of events", () => {
  const bus = createLocalBus();
  let webhooks: TestWebhooks;
  let gateway: TestGateway;
  let logged = "";
  const left: (() => void)[] = [];

  beforeAll(async () => {
    webhooks = await startTestWebhooks({ bus });
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        logged += String(chunk);
        done();
      },
    });
    const env = { WEBHOOKS_ADDRESS: webhooks.address };
    gateway = await startTestGateway({
      env,
      bounds: { eventStreamsMax: 12 },
      log: createLog("gateway", "trace", sink),
    });
  });
  // All places are free again, and so for the next test.
  afterEach(async () => {
    for (const leave of left.splice(0)) leave();
    await until(async () => (await openStreams()) === 0, { what: "the end of all streams" });
  });
  afterAll(async () => {
    await gateway?.stop();
    await webhooks?.stop();
  });

  async function openStreams() {
    const gauge = await register.getSingleMetric("event_streams_open")?.get();
    return gauge?.values[0]?.value;
  }

  async function publish({ id: projectId }: TestProject, count: number, mode = Mode.LIVE) {
    const rows = Array.from({ length: count }, () => {
      const id = newId("cust");
      const at = timestampFromDate(new Date());
      const value = { id, projectId, mode, walletAddress: "", createdAt: at, updatedAt: at };
      return outboxRow({
        type: "customer.created",
        projectId,
        mode,
        resourceId: id,
        sequence: 1,
        occurredAt: at,
        requestId: "request-1",
        resource: { case: "customer", value },
      });
    });
    await bus.publish(rows);
    return rows.map(({ eventId }) => eventId);
  }

  /** Not by fetch, which opens a connection in advance for each that it has cut. */
  async function follow(key: string, last?: string, query = "") {
    const request = get(`http://${gateway.address}/v1/events/stream${query}`, {
      agent: false,
      headers: {
        accept: "text/event-stream",
        "x-secret-key": key,
        ...(last !== undefined && { "last-event-id": last }),
      },
    });
    function leave() {
      request.destroy();
    }

    left.push(leave);
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    const seen = {
      status: answer.statusCode,
      headers: answer.headers,
      text: "",
      ended: false,
      leave,
    };
    request.on("error", () => {});
    answer.setEncoding("utf8").on("error", () => {});
    answer.on("data", (part: string) => {
      seen.text += part;
    });
    answer.once("end", () => {
      seen.ended = true;
    });
    return seen;
  }

  function idsIn({ text }: { text: string }) {
    return [...text.matchAll(/^id: (evt_\w+)$/gm)].map(([, id]) => id);
  }

  function arrival(stream: { text: string }, count: number) {
    return until(() => idsIn(stream).length >= count, { what: `${count} events` });
  }

  test("has every event once and in the order of the list, whenever the receiver connects again", async () => {
    const shop = await gateway.addProject();
    await publish(shop, MANY);
    const first = await follow(shop.secret);
    expect(first.headers["content-type"]).toBe("text/event-stream");
    await arrival(first, MANY);
    await publish(shop, 3);
    await arrival(first, MANY + 3);
    first.leave();
    await publish(shop, MANY);
    const last = idsIn(first).at(-1);
    const second = await follow(shop.secret, last);
    await publish(shop, 1);
    await arrival(second, MANY + 1);

    const listed: { id: string }[] = [];
    for (let more = true; more; ) {
      const after = listed.length === 0 ? "" : `&after=${listed.at(-1)?.id}`;
      const { body } = await gateway.ask("GET", `/v1/events?limit=100${after}`, {
        headers: { "x-secret-key": shop.secret },
      });
      listed.push(...body.data);
      more = body.hasMore;
    }
    expect([...idsIn(first), ...idsIn(second)]).toEqual(listed.map(({ id }) => id));
    const data = [...second.text.matchAll(/^data: (.+)$/gm)].map(([, text = ""]) =>
      JSON.parse(text),
    );
    expect(data).toEqual(listed.slice(MANY + 3));
  });

  test("has no event of another project or of the other mode", async () => {
    const [shop, other] = [await gateway.addProject(), await gateway.addProject()];
    const [live, trial] = [await follow(shop.secret), await follow(shop.testSecret)];
    await publish(other, 2);
    const liveIds = await publish(shop, 2);
    const trialIds = await publish(shop, 1, Mode.TEST);
    await Promise.all([arrival(live, 2), arrival(trial, 1)]);
    // What follows shows that nothing else was before it.
    const [lastLive] = await publish(shop, 1);
    const [lastTrial] = await publish(shop, 1, Mode.TEST);
    await Promise.all([arrival(live, 3), arrival(trial, 2)]);
    expect(idsIn(live)).toEqual([...liveIds, lastLive]);
    expect(idsIn(trial)).toEqual([...trialIds, lastTrial]);
  });

  test("without bodies names the same events in the same order", async () => {
    const shop = await gateway.addProject();
    const ids = await publish(shop, MANY);
    const terse = await follow(shop.secret, undefined, "?bodies=false");
    await arrival(terse, MANY);
    const later = await publish(shop, 1);
    await arrival(terse, MANY + 1);
    expect(idsIn(terse)).toEqual([...ids, ...later]);
    const [, first = ""] = /^data: (.*)$/m.exec(terse.text) ?? [];
    expect(Object.keys(JSON.parse(first))).toEqual([
      "id",
      "type",
      "resourceId",
      "sequence",
      "occurredAt",
    ]);
  });

  test("is refused where the cursor is not the project's, or no id", async () => {
    const [shop, other] = [await gateway.addProject(), await gateway.addProject()];
    const [strange] = await publish(other, 1);
    for (const [last, code] of [
      [strange, "cursor_unknown"],
      ["evt_1", "field_invalid"],
    ]) {
      const { status, headers } = await follow(shop.secret, last);
      expect([status, headers["x-error-code"]]).toEqual([400, code]);
    }
  });

  test("is one of ten of its project, and of a bounded number of all; one that leaves makes room", async () => {
    const [shop, other] = [await gateway.addProject(), await gateway.addProject()];
    const streams = await Promise.all(
      Array.from({ length: PER_PROJECT_MAX }, () => follow(shop.secret)),
    );
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const refused = await follow(shop.testSecret);
    expect(refused.status).toBe(429);
    expect(refused.headers["retry-after"]).toBe("15");
    expect((await follow(other.secret)).status).toBe(200);
    expect((await follow(other.secret)).status).toBe(200);
    expect((await follow(other.secret)).status).toBe(503);
    streams[0]?.leave();
    await until(async () => (await follow(shop.secret)).status === 200, { what: "room" });
  });

  test("goes on where it was when the webhooks service answers again", async () => {
    const shop = await gateway.addProject();
    const stream = await follow(shop.secret);
    await publish(shop, 1);
    await arrival(stream, 1);
    logged = "";
    await webhooks.pool.query("alter table event_feeds rename to event_feeds_away");
    try {
      await until(() => logged.includes("look for events of streams"), { what: "a failed look" });
    } finally {
      await webhooks.pool.query("alter table event_feeds_away rename to event_feeds");
    }
    await publish(shop, 1);
    await arrival(stream, 2);
    expect(stream.ended).toBe(false);
  });

  test("ends at the next event after its key was revoked", async () => {
    const shop = await gateway.addProject();
    const { id, text } = await gateway.addKey(shop.id, { type: "secret" });
    const stream = await follow(text);
    await publish(shop, 1);
    await arrival(stream, 1);
    const gone = await gateway.ask("DELETE", `/v1/projects/me/keys/${id}`, {
      headers: { "x-secret-key": shop.secret },
    });
    expect(gone.status).toBe(200);
    await publish(shop, 1);
    await until(() => stream.ended, { what: "the end of the stream" });
    expect(idsIn(stream)).toHaveLength(1);
  });

  test("ends when the gateway stops", async () => {
    const shop = await gateway.addProject();
    const stream = await follow(shop.secret);
    await publish(shop, 1);
    await arrival(stream, 1);
    await gateway.life.stop();
    await until(() => stream.ended, { what: "the end of the stream" });
  });
});
