import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type NewEvent, outboxRow } from "@pay/events";
import { type Receiver, startReceiver, until } from "@pay/testing";
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

test("an event with an id too long for an index becomes a dead letter, and the next is delivered", async () => {
  const { projectId } = await aMerchant(webhooks, receiver.url);
  const long = paymentEvent(projectId, { id: `pay_${randomBytes(4_000).toString("hex")}` });
  const [refused, next = ""] = await publish(webhooks.bus, long, paymentEvent(projectId));
  expect(await ended(webhooks, next)).toMatchObject({ state: "delivered" });
  const { rows } = await webhooks.pool.query("select event_id from dead_letters");
  expect(rows).toEqual([{ event_id: refused }]);
});
