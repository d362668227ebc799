export { type Bus, type BusRecord, RefusedRecords, type Subscription } from "./bus.ts";
export { type ConsumeOptions, consume } from "./consume.ts";
export { purgeInbox } from "./inbox.ts";
export { createKafkaBus, type KafkaBusOptions } from "./kafka-bus.ts";
export {
  type KafkaConfig,
  type KafkaSettings,
  kafkaConfig,
  kafkaSettings,
} from "./kafka-config.ts";
export { createLocalBus, type LocalBusOptions } from "./local-bus.ts";
export {
  appendOutbox,
  OUTBOX_COLUMNS,
  OUTBOX_TYPES,
  type OutboxArrays,
  type OutboxRow,
  outboxArrays,
  outboxRow,
} from "./outbox.ts";
export { type Relay, type RelayOptions, startRelay } from "./relay.ts";
export { newsOf, TOPICS, type Topic } from "./topics.ts";
