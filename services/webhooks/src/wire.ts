import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AttemptSchema, DeliverySchema } from "@pay/proto";
import { deliveryIdOf } from "./domain/delivery-id.ts";
import type { LoggedAttempt, LoggedDelivery } from "./storage/log.ts";

// Whether an address was refused by us or by nobody listening is told to the operator only: together with names of
// the merchant's choosing the difference would map our network.
const PUBLIC_ERRORS: Record<string, string> = { refused_address: "connection_refused" };

const toAttempt = (attempt: LoggedAttempt): MessageInitShape<typeof AttemptSchema> => ({
  number: attempt.number,
  startedAt: timestampFromDate(new Date(attempt.started_at)),
  durationMs: attempt.duration_ms,
  statusCode: attempt.status_code ?? undefined,
  error: attempt.error === null ? "" : (PUBLIC_ERRORS[attempt.error] ?? attempt.error),
});

/** A delivery as other services see it: no body, no answer's text, no address. */
export const toMessage = (delivery: LoggedDelivery): MessageInitShape<typeof DeliverySchema> => ({
  id: deliveryIdOf(delivery.id),
  eventId: delivery.event_id,
  eventType: delivery.type,
  endpointId: delivery.endpoint_id,
  state: delivery.state,
  createdAt: timestampFromDate(delivery.created_at),
  attempts: delivery.attempts.map(toAttempt),
});
