// How much memory does a dispatcher need at most while receivers hang and large events come in? All events are taken in, and
// what has no place in memory waits in the table. `npm run bench -- webhook-memory 8000` publishes eight thousand events.
import { outboxRow } from "@pay/events";
import { newId } from "@pay/values";
import { figure } from "./figures.ts";
import type { Part, Usage } from "./parts/child.ts";
import { untilTrue } from "./parts/until-true.ts";
import { openStage } from "./parts/webhook-stage.ts";
import { type Undo, withUndo } from "./parts/with-undo.ts";
import { type ProductParts, startProductParts } from "./targets/product.ts";

const EVENTS = Number(process.argv[3] ?? 32_000);
const ENDPOINTS = 400;
const BODY_BYTES = 8_000;
const PUBLISH_AT_ONCE = 100;

export function run(): Promise<void> {
  return withUndo(measure);
}

async function measure(undo: Undo): Promise<void> {
  const { receiver, options } = await openStage(undo);
  const parts = await startProductParts(options);
  const dispatcher = await parts.startDispatcher();
  const projects = Array.from({ length: ENDPOINTS }, () => newId("proj"));
  const url = `${receiver.url}/hang`;
  await parts.createEndpoints(projects.map((projectId) => ({ projectId, url })));
  figure("webhook-memory.idle_mb", await memoryOf(dispatcher), "MB");
  await publish(parts, projects);
  await untilTrue(() => isTakenIn(parts));
  figure("webhook-memory.events", EVENTS, `events of ${BODY_BYTES} bytes`);
  figure("webhook-memory.rss_mb", await memoryOf(dispatcher), "MB at most");
}

async function memoryOf(dispatcher: Part): Promise<number> {
  return (await dispatcher.ask<Usage>("usage")).rssMb;
}

async function publish({ bus }: ProductParts, projects: readonly string[]): Promise<void> {
  for (let n = 0; n < EVENTS; n += PUBLISH_AT_ONCE) {
    const list = Array.from({ length: PUBLISH_AT_ONCE }, (_, at) =>
      largeEvent(projects[(n + at) % projects.length] ?? ""),
    );
    await bus.publish(list);
  }
}

function largeEvent(projectId: string) {
  const id = newId("pay");
  return outboxRow({
    ...{ type: "payment.confirmed", projectId, mode: 1, resourceId: id, sequence: 1 },
    occurredAt: { seconds: BigInt(Math.floor(Date.now() / 1_000)), nanos: 0 },
    resource: {
      case: "payment",
      value: { id, projectId, status: "confirmed", orderId: "o".repeat(BODY_BYTES) },
    },
  });
}

async function isTakenIn({ pool }: ProductParts): Promise<boolean> {
  const { rows } = await pool.query<{ count: number }>("select count(*)::int from events");
  return (rows[0]?.count ?? 0) >= EVENTS;
}
