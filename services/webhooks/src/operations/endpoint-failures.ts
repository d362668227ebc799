import { Failure } from "@pay/failures";

export function endpointNotFound(): Failure {
  return new Failure("endpoint_not_found", "Webhook endpoint not found");
}

export function deliveryNotFound(): Failure {
  return new Failure("delivery_not_found", "Delivery not found");
}

export function endpointDisabled(): Failure {
  return new Failure("endpoint_disabled", "Webhook endpoint is disabled");
}
