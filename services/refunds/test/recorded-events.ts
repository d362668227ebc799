// What the services of a shop have published, each event once: a relay may publish one twice.
import { fromBinary } from "@bufbuild/protobuf";
import type { Database } from "@pay/database";
import { type createLocalBus, type NewEvent, outboxRow, TOPICS } from "@pay/events";
import { type Event, EventSchema } from "@pay/proto";
import { until } from "@pay/testing";

interface Owner {
  pool: Database["pool"];
}

export async function recordEvents(
  bus: ReturnType<typeof createLocalBus>,
  owners: readonly Owner[],
) {
  const events = new Map<string, Event>();
  let arrivals = 0;
  await bus.subscribe({
    group: "reader",
    topics: Object.values(TOPICS),
    handle: async (records) => {
      arrivals += records.length;
      for (const { eventId, payload } of records) {
        if (!events.has(eventId)) events.set(eventId, fromBinary(EventSchema, payload));
      }
    },
  });

  /** No event is under way. Each outbox is read twice, because one is emptied into the other. */
  async function isQuiet() {
    const before = arrivals;
    for (const owner of [...owners, ...owners]) if ((await unpublished(owner)) > 0) return false;
    return arrivals === before;
  }

  return {
    /** All of them, once the outboxes are empty. */
    all: async () => {
      await until(isQuiet, { what: "empty outboxes" });
      return [...events.values()];
    },
    /** Everything on the bus again, as after a crash before its acknowledgement. */
    repeat: () => bus.publish([...events.values()].map((event) => outboxRow(event as NewEvent))),
  };
}

async function unpublished({ pool }: Owner): Promise<number> {
  const { rows } = await pool.query<{ n: number }>("select count(*)::int as n from outbox");
  return rows[0]?.n ?? 0;
}
