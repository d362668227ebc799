// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface EventList {
  /** Items of this page. */
  data: Array<EventItem>;
  /** Whether more events follow. */
  hasMore: boolean;
}

export interface EventItem {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Type of the event, e.g. payment.confirmed. */
  type: string;
  /** Id of the changed resource. */
  resourceId: string;
  /** Number of the resource's change, from 1. */
  sequence: number;
  /** Time of the event. */
  occurredAt: string;
  /** Body of the webhook, as text. */
  body: string;
}
