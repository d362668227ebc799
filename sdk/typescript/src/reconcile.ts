// Reads the events that a receiver may have missed, e.g. while it was down longer than webhooks are retried.
import type { Events } from "./api/events.ts";
import type { EventItem } from "./api/records/events.ts";

export interface ReconcileOptions {
  /** Id of the last event that is known to be handled; all that the service still has, without it. */
  after?: string | undefined;
  /** Called for one event after the other, in their order. Where it throws, the walk ends at that event. */
  handle(event: EventItem): Promise<unknown> | unknown;
  signal?: AbortSignal | undefined;
}

/** Resolves to the id of the last handled event: pass it as `after` the next time. */
export type Reconcile = (options: ReconcileOptions) => Promise<string | undefined>;

const PAGE_LIMIT = 100;

export function createReconcile(events: Pick<Events, "list">): Reconcile {
  return async ({ after, handle, signal }) => {
    let handled = after;
    for await (const event of events.list({ after, limit: PAGE_LIMIT }, { signal })) {
      await handle(event);
      handled = event.id;
    }
    return handled;
  };
}
