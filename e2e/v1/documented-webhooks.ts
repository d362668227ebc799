// Documented fields of endpoints and of what was sent to them.
export const ENDPOINT = [
  "id",
  "url",
  "events",
  "signatureScheme",
  "concurrencyMax",
  "include",
  "enabled",
  "disabledReason",
  "isDefault",
  "createdAt",
  "updatedAt",
  "nextSecretActiveAt",
];

export const DELIVERY = [
  "id",
  "eventId",
  "eventType",
  "endpointId",
  "state",
  "redeliveries",
  "createdAt",
  "attempts",
];

export const ATTEMPT = ["number", "startedAt", "durationMs", "statusCode", "error"];
