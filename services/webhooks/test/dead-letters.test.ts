import { randomBytes } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type NewEvent, outboxRow } from "@pay/events";
import { Mode } from "@pay/proto";
import { type Receiver, startReceiver, until } from "@pay/testing";
import { newId } from "@pay/values";
import {
  aMerchant,
  authority,
  ended,
  paymentEvent,
  publish,
  startTestWebhooks,
  type TestWebhooks,
} from "./webhooks.ts";

let webhooks: TestWebhooks;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver({ authority });
  webhooks = await startTestWebhooks();
});
afterAll(async () => {
  await webhooks?.stop();
  await receiver?.stop();
});

test("a replayed dead letter is delivered", async () => {
  const merchant = await aMerchant(webhooks, `${receiver.url}/replayed`);
  const row = outboxRow(paymentEvent(merchant.projectId) as NewEvent);
  await webhooks.pool.query(
    `insert into dead_letters (consumer, topic, event_id, payload, error, replay_at)
     values ('webhooks', $1, $2, $3, 'a fault of yesterday', now())`,
    [row.topic, row.eventId, row.payload],
  );
  await until(() => receiver.all.length === 1);
  await until(async () => {
    const { rowCount } = await webhooks.pool.query("select from dead_letters");
    return rowCount === 0;
  });
  expect(receiver.all[0]?.headers).toMatchObject({ "x-service-event": "payment.confirmed" });
});

function customerEvent(projectId: string, id: string, verb: string, more: object = {}) {
  const sequence = verb === "created" ? 1 : 2;
  return {
    id: newId("evt"),
    type: `customer.${verb}`,
    projectId,
    mode: Mode.LIVE,
    resourceId: id,
    sequence,
    occurredAt: timestampFromDate(new Date()),
    resource: { case: "customer" as const, value: { id, projectId, version: sequence, ...more } },
  };
}

test("an erased customer is in no stored body and no dead letter any more", async () => {
  const { projectId } = await aMerchant(webhooks, `${receiver.url}/customers`);
  const [id, sameList, friend] = [newId("cust"), newId("cust"), newId("cust")];
  const person = { walletAddress: "0xada", displayName: "Ada", metadataJson: '{"note":"gold"}' };
  const about = { ...person, metadataJson: JSON.stringify({ friend: id }) };
  const created = customerEvent(projectId, id, "created", person);
  await publish(webhooks.bus, created, customerEvent(projectId, friend, "created", about));
  for (const whose of [id, friend]) {
    const row = outboxRow(customerEvent(projectId, whose, "updated", about) as NewEvent);
    await webhooks.pool.query(
      `insert into dead_letters (consumer, topic, event_id, payload, error)
       values ('webhooks', $1, $2, $3, 'a fault of yesterday')`,
      [row.topic, row.eventId, row.payload],
    );
  }
  await publish(
    webhooks.bus,
    customerEvent(projectId, id, "erased"),
    customerEvent(projectId, sameList, "created", person),
    customerEvent(projectId, sameList, "erased"),
    created,
  );

  const { rows } = await webhooks.pool.query<{ resource_id: string; body: Buffer }>(
    "select resource_id, body from events where project_id = $1",
    [projectId],
  );
  const bodies = new Map(rows.map((row) => [row.resource_id, JSON.parse(row.body.toString())]));
  expect(rows).toHaveLength(3);
  for (const erased of [id, sameList]) {
    expect(bodies.get(erased)).toMatchObject({
      id: erased,
      walletAddress: "",
      displayName: null,
      metadata: null,
    });
  }
  expect(bodies.get(friend)).toMatchObject({ displayName: "Ada", metadata: { friend: id } });
  const letters = await webhooks.pool.query("delete from dead_letters returning payload");
  expect(letters.rows).toHaveLength(1);
  expect(letters.rows[0].payload.includes(friend)).toBe(true);
});

test("an event with an id too long for an index becomes a dead letter, and the next is delivered", async () => {
  const { projectId } = await aMerchant(webhooks, receiver.url);
  const long = paymentEvent(projectId, { id: `pay_${randomBytes(4_000).toString("hex")}` });
  const [refused, next = ""] = await publish(webhooks.bus, long, paymentEvent(projectId));
  expect(await ended(webhooks, next)).toMatchObject({ state: "delivered" });
  const { rows } = await webhooks.pool.query("select event_id from dead_letters");
  expect(rows).toEqual([{ event_id: refused }]);
});
