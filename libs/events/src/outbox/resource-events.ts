// Events of resources, made from their rows. The message that an event carries is made like every message of a row: a
// field of it without a column, and a column that it does not show, are listed, or it does not compile. It is no
// message of an rpc, so what a service answers changes without a word to the readers of topics.
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Listed, planMessages, rowToMessage } from "@pay/database";
import { type Event, EventSchema } from "@pay/proto";
import type { EVENT_TYPES } from "../event-types.ts";
import { type OutboxRow, outboxRow } from "./outbox.ts";

/** The types of events that carry this message. */
type SnapshotType<Snapshot> = {
  [Type in keyof typeof EVENT_TYPES]: (typeof EVENT_TYPES)[Type]["resource"] extends Extract<
    Event["resource"],
    { value: Snapshot }
  >["case"]
    ? Type
    : never;
}[keyof typeof EVENT_TYPES];

/** The fields of a resource that every event has besides the message. */
interface Versioned {
  id: string;
  project_id: string;
  mode: number;
  version: number;
}

/** Made once per resource; the event is ready for the outbox, with the resource as it is right after the change. */
export function planEvents<
  Desc extends DescMessage,
  Columns extends Versioned,
  Row extends Columns = Columns,
>(
  schema: Desc,
  differences: Listed<MessageShape<Desc>, Columns>,
  /** Fields that are lists of other messages. */
  listFields: (row: Row) => Partial<MessageShape<Desc>> = () => ({}),
): (type: SnapshotType<MessageShape<Desc>>, row: Row, at: Date, requestId: string) => OutboxRow {
  const plan = planMessages<Desc, Columns>(schema, differences);
  const kind = EventSchema.fields.find(({ message }) => message === schema)?.localName;
  if (kind === undefined) throw new Error(`no event carries a ${schema.typeName}`);
  return (type, row, at, requestId) => {
    const value = { ...rowToMessage(plan, row), ...listFields(row) };
    const resource = { case: kind, value } as unknown as Event["resource"];
    return outboxRow({
      type,
      projectId: row.project_id,
      mode: row.mode,
      resourceId: row.id,
      sequence: row.version,
      occurredAt: timestampFromDate(at),
      requestId,
      resource,
    });
  };
}
