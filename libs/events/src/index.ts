export { type Bus, type BusRecord, RefusedRecords, type Subscription } from "./bus.ts";
export {
  appendOutbox,
  OUTBOX_COLUMNS,
  OUTBOX_TYPES,
  type OutboxArrays,
  type OutboxRow,
  outboxArrays,
  outboxRow,
} from "./outbox.ts";
export { newsOf, TOPICS, type Topic } from "./topics.ts";
