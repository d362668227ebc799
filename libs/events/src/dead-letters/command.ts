// The operator's command for dead letters, beside a running product. It changes rows only: the service's own consumer
// handles a dead letter again, and its relay publishes one that the bus had refused.
import { toJsonString } from "@bufbuild/protobuf";
import { type Database, transaction } from "@pay/database";
import { CommandFault } from "@pay/process";
import { EventSchema } from "@pay/proto";
import { openPayload } from "../consumer/envelope.ts";
import {
  deleteDeadLetter,
  type FindDeadLetterRow,
  findDeadLetter,
  listDeadLetters,
  requestReplay,
} from "../generated/sql.ts";
import { appendOutbox } from "../outbox/outbox.ts";
import { chooseKey } from "../outbox/record-key.ts";

const USAGE = "usage: npm run dead-letters -- list | show ID | replay ID | drop ID";

const LIST_MAX = 100;
const ERROR_CHARS = 100;
const ID = /^([a-z]+)\/([1-9][0-9]{0,17})$/;

/** The lines that a command prints; `open` connects to a service's database. */
export async function runDeadLetters(
  args: readonly string[],
  services: readonly string[],
  open: (service: string) => Database,
): Promise<string[]> {
  const [action, name, ...more] = args;
  if (action === "list" && name === undefined) return list(services, open);
  const act = ACTIONS[action ?? ""];
  if (act === undefined || name === undefined || more.length > 0) throw new CommandFault(USAGE);
  const [, service = "", id = ""] = ID.exec(name) ?? [];
  if (!services.includes(service)) {
    throw new CommandFault(`ID is a service and a number, e.g. ${services[0]}/1; ${USAGE}`);
  }
  const db = open(service);
  const [deadLetter] = await findDeadLetter(db.pool, { id: BigInt(id) });
  if (deadLetter === undefined) throw new CommandFault(`there is no dead letter ${name}`);
  return act(db, name, deadLetter);
}

async function list(
  services: readonly string[],
  open: (service: string) => Database,
): Promise<string[]> {
  const lines: string[] = [];
  for (const service of services) {
    const deadLetters = await listDeadLetters(open(service).pool, { limit: LIST_MAX });
    lines.push(...deadLetters.map((deadLetter) => toLine(service, deadLetter)));
  }
  return lines.length === 0 ? ["no dead letters"] : lines;
}

function toLine(service: string, deadLetter: FindDeadLetterRow): string {
  const event = openPayload(deadLetter.payload);
  const what = typeof event === "string" ? `(${event})` : `${event.type} ${event.resourceId}`;
  const state = deadLetter.replay_at === null ? "" : " (replay requested)";
  const error = deadLetter.error.replaceAll(/\s+/g, " ").slice(0, ERROR_CHARS);
  const time = deadLetter.created_at.toISOString();
  return `${service}/${deadLetter.id} ${time} ${deadLetter.consumer} ${what}: ${error}${state}`;
}

type Action = (db: Database, name: string, deadLetter: FindDeadLetterRow) => Promise<string[]>;

const ACTIONS: Readonly<Record<string, Action>> = {
  show: async (_, name, deadLetter) => {
    const event = openPayload(deadLetter.payload);
    return [
      `id        ${name}`,
      `time      ${deadLetter.created_at.toISOString()}`,
      `consumer  ${deadLetter.consumer}`,
      `topic     ${deadLetter.topic}`,
      `event     ${deadLetter.event_id ?? "-"}`,
      `error     ${deadLetter.error}`,
      typeof event === "string"
        ? `bytes     ${deadLetter.payload.toString("base64")}`
        : toJsonString(EventSchema, event, { prettySpaces: 2 }),
    ];
  },
  replay: async (db, name, deadLetter) => {
    const event = openPayload(deadLetter.payload);
    if (typeof event === "string") {
      throw new CommandFault(`${name} cannot be handled again: ${event}`);
    }
    if (deadLetter.consumer !== "relay") {
      await requestReplay(db.pool, { id: deadLetter.id });
      return [`${name} is handed to ${deadLetter.consumer} again`];
    }
    await transaction(db.pool, async (tx) => {
      if ((await deleteDeadLetter(tx, { id: deadLetter.id })) === 0) return;
      const { topic, payload } = deadLetter;
      const { id: eventId, type, requestId } = event;
      const key = chooseKey(event);
      await appendOutbox(tx, [{ eventId, type, topic, key, requestId, payload }]);
    });
    return [`${name} is published again`];
  },
  drop: async (db, name, deadLetter) => {
    await deleteDeadLetter(db.pool, { id: deadLetter.id });
    return [`${name} is deleted`];
  },
};
