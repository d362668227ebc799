// The contract of the topics alone, for their readers: docs/events.md.
export * from "./gen/events/v1/events_pb.js";
export { Mode, ModeSchema } from "./gen/tenancy/v1/tenancy_pb.js";
