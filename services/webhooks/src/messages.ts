import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { toPublicFault } from "@pay/egress";
import type { AttemptSchema, DeliverySchema, EndpointSchema } from "@pay/proto";
import { toDeliveryId } from "./domain/delivery-id.ts";
import type { FullDelivery, LoggedAttempt, LoggedDelivery } from "./storage/endpoint-log.ts";
import type { Endpoint } from "./storage/endpoints.ts";

function toAttempt(attempt: LoggedAttempt): MessageInitShape<typeof AttemptSchema> {
  return {
    number: attempt.number,
    startedAt: timestampFromDate(new Date(attempt.started_at)),
    durationMs: attempt.duration_ms,
    statusCode: attempt.status_code ?? undefined,
    error: attempt.error === null ? "" : toPublicFault(attempt.error),
    url: attempt.url ?? undefined,
    retryAfter: attempt.retry_after ?? undefined,
    response: Buffer.from(attempt.response ?? "", "base64"),
    responseComplete: attempt.response_complete ?? true,
  };
}

/** For lists: without body, response and url. */
export function toMessage(delivery: LoggedDelivery): MessageInitShape<typeof DeliverySchema> {
  return {
    id: toDeliveryId(delivery.id),
    eventId: delivery.event_id,
    eventType: delivery.type,
    endpointId: delivery.endpoint_id,
    state: delivery.state,
    createdAt: timestampFromDate(delivery.created_at),
    attempts: delivery.attempts.map(toAttempt),
    redeliveries: delivery.redeliveries,
  };
}

export function toFullMessage(delivery: FullDelivery): MessageInitShape<typeof DeliverySchema> {
  return { ...toMessage(delivery), body: delivery.body };
}

export function toEndpoint(row: Endpoint): MessageInitShape<typeof EndpointSchema> {
  return {
    id: row.id,
    url: row.url ?? undefined,
    events: row.events,
    signatureScheme: row.signature_scheme,
    concurrencyMax: row.concurrency_max,
    include: row.include,
    enabled: row.enabled,
    disabledReason: row.disabled_reason ?? "",
    isDefault: row.name !== null,
    createdAt: timestampFromDate(row.created_at),
    updatedAt: timestampFromDate(row.updated_at),
    ...(row.next_secret_at && { nextSecretActiveAt: timestampFromDate(row.next_secret_at) }),
  };
}
