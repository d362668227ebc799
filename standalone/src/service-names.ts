/** In the order of their start: a service starts before its callers. */
export const SERVICE_NAMES = [
  "chains",
  "customers",
  "payments",
  "refunds",
  "webhooks",
  "gateway",
] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];
