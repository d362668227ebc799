/** In the order they start; who is asked comes before who asks. */
export const SERVICE_NAMES = [
  "chains",
  "customers",
  "payments",
  "refunds",
  "webhooks",
  "gateway",
] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];
