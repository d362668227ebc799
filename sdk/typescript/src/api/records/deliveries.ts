// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface WebhookEndpointHealthList {
  /** All endpoints, newest first. */
  data: Array<WebhookEndpointHealth>;
}

export interface WebhookEndpointHealth {
  /** Id of the webhook endpoint. */
  endpointId: string;
  /** Percent of the attempts that succeeded, rounded down to one decimal place; null without an attempt. */
  successRate: number | null;
  /** Median duration of the attempts of the newest 100 deliveries; null without one. */
  medianMs: number | null;
  /** The last 24 hours, oldest first, with the present one. */
  hours: Array<WebhookEndpointHour>;
}

export interface WebhookEndpointHour {
  /** Begin of the hour in which the attempts ended. */
  from: string;
  /** Attempts with a 2xx response. */
  succeeded: number;
  /** Other attempts. */
  failed: number;
}
