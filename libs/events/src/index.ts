export { type Bus, type BusRecord, RETENTION_DAYS, type Subscription } from "./bus/bus.ts";
export type { KafkaBusOptions } from "./bus/kafka/bus.ts";
export {
  type KafkaConfig,
  type KafkaSettings,
  kafkaConfig,
  kafkaSettings,
} from "./bus/kafka/config.ts";
export { createKafkaBus } from "./bus/kafka-bus.ts";
export { createLocalBus, type LocalBusOptions } from "./bus/local.ts";
export { type ConsumeOptions, consume } from "./consumer/consume.ts";
export { continueTrace } from "./consumer/continue-trace.ts";
export {
  type ObservedTransfer,
  observationsRefused,
  readObservation,
} from "./consumer/observation.ts";
export { startReplays } from "./dead-letters/replay.ts";
export {
  EVENT_TYPES,
  type EventType,
  isByName,
  isPublic,
  listTopics,
  PUBLIC_TYPES,
  TIMELINE_STEPS,
  type TimelineStep,
  TOPICS,
} from "./event-types.ts";
export {
  appendOutbox,
  eventRow,
  type NewEvent,
  type OutboxRow,
  outboxRow,
} from "./outbox/outbox.ts";
export { toRecordKey } from "./outbox/record-key.ts";
export { type Relay, type RelayOptions, startRelay } from "./outbox/relay.ts";
export { planEvents } from "./outbox/resource-events.ts";
