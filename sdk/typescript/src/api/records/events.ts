// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface EventList {
  /** The items of this page. */
  data: Array<EventItem>;
  /** Whether more events follow. */
  hasMore: boolean;
}

export interface EventItem {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Kind. */
  type: string;
  /** Id of what changed. */
  resourceId: string;
  /** Counts the changes of the resource. */
  sequence: number;
  /** When it happened. */
  occurredAt: string;
  /** What is sent, as text. */
  body: string;
}
