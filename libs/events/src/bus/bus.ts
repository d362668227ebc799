/** A finished event on the bus, which carries its bytes and never decodes them. */
export interface BusRecord {
  topic: string;
  /** Records of one key arrive in the order they were published. */
  key: string;
  eventId: string;
  type: string;
  /** With its trace. */
  requestId: string;
  /** The event in protobuf's binary form. */
  payload: Uint8Array;
  /** Where a bus that keeps its records keeps this one. */
  place?: RecordPlace;
}

export interface RecordPlace {
  partition: number;
  /** A whole number that grows within the partition. */
  offset: string;
  publishedAt: Date;
}

/** One consumer of some topics. The members of its group share the records; each record goes to one of them. */
export interface Subscription {
  group: string;
  topics: readonly string[];
  /**
   * Every process that subscribes gets every record that is published from then on. Nothing is kept for it: what is
   * published while it is away it never gets.
   */
  isBroadcast?: true;
  /** Resolves when the records are handled for good; rejects where the bus must deliver them again. */
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

/**
 * How long records stay. The inbox does not depend on it: its positions cover every record that comes again. Webhooks
 * keeps events for as long and takes no older records.
 */
export const RETENTION_DAYS = 30;

/** Records the bus will never take, e.g. too large ones. The others of the same call are safe. */
export class RefusedRecords extends Error {
  readonly eventIds: readonly string[];
  constructor(eventIds: readonly string[], reason: string) {
    super(reason);
    this.name = "RefusedRecords";
    this.eventIds = eventIds;
  }
}

/**
 * Members of one group must subscribe to the same topics; two in one process are a mistake, so the second is refused.
 */
export function refuseSecond(next: Subscription, present: readonly Subscription[]): void {
  if (present.some(({ group }) => group === next.group)) {
    throw new Error(`group ${next.group} has subscribed already`);
  }
}
