// A list of results in which the database refuses some: the others are written, and none is tried without end.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Received, type Receiver, startReceiver, until } from "@pay/testing";
import {
  aMerchant,
  authority,
  ended,
  type Merchant,
  paymentEvent,
  publish,
  startTestWebhooks,
  type TestWebhooks,
} from "./webhooks.ts";

const COUNT = 200;
const RETRY_DELAY_MS = 1_500;
const REFUSED_ANSWER = "evt_list_120";
const REFUSED_STATUS = "evt_list_80";
const REFUSED_RETRY = "evt_list_40";

let webhooks: TestWebhooks;
let receiver: Receiver;
beforeAll(async () => {
  webhooks = await startTestWebhooks();
  receiver = await startReceiver({ authority });
});
afterAll(async () => {
  await receiver?.stop();
  await webhooks?.stop();
});

function events(merchant: Merchant) {
  return Array.from({ length: COUNT }, (_, at) => ({
    ...paymentEvent(merchant.projectId),
    id: `evt_list_${at}`,
  }));
}

/** Refuses the results of some answers, and counts the statements that write results. */
async function arrange({ pool }: TestWebhooks): Promise<void> {
  await pool.query(`
    alter table attempts add constraint refuses_an_answer check (response <> 'refused'::bytea),
      add constraint refuses_a_status check (status_code not in (298, 499));
    create sequence result_statements;
    create function note_statement() returns trigger language plpgsql as
      $$ begin perform nextval('result_statements'); return null; end $$;
    create trigger note_statement before update of attempts on deliveries
      for each statement execute function note_statement()`);
}

function toAnswer({ headers }: Received): { status: number; body?: string } {
  const id = headers["x-service-event-id"];
  if (id === REFUSED_ANSWER) return { status: 200, body: "refused" };
  if (id === REFUSED_STATUS) return { status: 298 };
  return { status: id === REFUSED_RETRY ? 499 : 200 };
}

test("rejected results are found by bisection, and each of their deliveries ends", async () => {
  await arrange(webhooks);
  receiver.respondWith((request, response) => {
    const { status, body } = toAnswer(request);
    response.writeHead(status).end(body);
  });
  const { pool } = webhooks;
  const merchant = await aMerchant(webhooks, receiver.url);
  // While the log is locked nothing is written, so that all results but the first few become one list.
  const locker = await pool.connect();
  await locker.query("begin");
  await locker.query("lock table attempts in access exclusive mode");
  const ids = await publish(webhooks.bus, ...events(merchant));
  await until(() => receiver.all.length === COUNT);
  await locker.query("commit");
  locker.release();
  for (const id of ids) await ended(webhooks, id);
  const { rows } = await pool.query(
    `select event_id, state, deliveries.attempts, count(number)::int as logged
     from deliveries left join attempts on attempts.delivery_id = deliveries.id
     group by deliveries.id, deliveries.day`,
  );
  const byId = new Map(rows.map(({ event_id: id, ...row }) => [id, row]));
  expect(byId.get(REFUSED_STATUS)).toEqual({ state: "delivered", attempts: 0, logged: 0 });
  expect(byId.get(REFUSED_RETRY)).toEqual({ state: "failed", attempts: 0, logged: 0 });
  const others = ids.filter((id) => id !== REFUSED_STATUS && id !== REFUSED_RETRY);
  for (const id of others) {
    expect(byId.get(id)).toEqual({ state: "delivered", attempts: 1, logged: 1 });
  }
  const { rows: counted } = await pool.query(
    "select last_value::int as count from result_statements",
  );
  // Eight halvings lead to one of 200 results, with two statements each; one by one there would be 200.
  expect(counted[0].count).toBeLessThan(100);
  // The one that has ended would be due again by now.
  const endedAt = performance.now();
  await until(() => performance.now() - endedAt > RETRY_DELAY_MS);
  const sent = receiver.all.map(({ headers }) => headers["x-service-event-id"] ?? "");
  expect(sent.filter((id, at) => sent.indexOf(id) !== at)).toEqual([]);
});
