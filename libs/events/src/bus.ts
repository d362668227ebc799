/** A finished event on its way: the bus moves bytes and never looks into them. */
export interface BusRecord {
  topic: string;
  /** The project id: records of one key arrive in the order they were published. */
  key: string;
  eventId: string;
  type: string;
  requestId: string;
  /** The event in protobuf's binary form. */
  payload: Uint8Array;
}

/** One consumer of some topics. Its members share the records; each record goes to one of them. */
export interface Subscription {
  group: string;
  topics: readonly string[];
  /** Resolving means done for good; rejecting means that the same records come again. */
  handle(records: BusRecord[]): Promise<void>;
}

/**
 * At least once, in order per key. `publish` resolves when every record is safe with the bus; when it rejects,
 * some of them may be safe all the same. So a repeated event is normal, and consumers drop it by its id.
 */
export interface Bus {
  publish(records: readonly BusRecord[]): Promise<void>;
  subscribe(subscription: Subscription): Promise<void>;
  close(): Promise<void>;
}

/** Most records a handler gets at once: its transaction has to end well within the database's time limits. */
export const LIST_MAX = 500;

/** Records the bus will never take, e.g. too large ones. The others of the same call are safe. */
export class RefusedRecords extends Error {
  readonly eventIds: readonly string[];
  constructor(eventIds: readonly string[], reason: string) {
    super(reason);
    this.name = "RefusedRecords";
    this.eventIds = eventIds;
  }
}

/** Members of one group must want the same topics; two in one process would be a slip, so it is refused. */
export const refuseSecond = (next: Subscription, present: readonly Subscription[]): void => {
  if (present.some(({ group }) => group === next.group)) {
    throw new Error(`group ${next.group} has subscribed already`);
  }
};
