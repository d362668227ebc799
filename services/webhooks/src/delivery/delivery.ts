import type { Next } from "../domain/schedule.ts";

/** A delivery as it is held in memory while this worker owns it. */
export interface Delivery {
  id: string;
  /** Of its partition, as the database wrote it: it is only ever handed back. */
  day: string;
  endpointId: string;
  /** Of the endpoint when the delivery was taken in: where it is sent is not what was known before. */
  endpointVersion?: string | undefined;
  /** Monotonic time from before the statement that took it in. */
  takenInAt: number;
  /** The worker that owned it when it was taken in; changes of the row are guarded by it. */
  owner: number;
  /** Attempts that have ended. */
  attempts: number;
  eventId: string;
  /** Mode of tenancy.proto. */
  mode: number;
  eventType: string;
  resourceId: string;
  sequence: number;
  body: Buffer;
  /** Monotonic time, in milliseconds, before which the next attempt does not start. */
  dueAt: number;
}

/** What was sent and what came of it: one row of the log. */
export interface AttemptLog {
  number: number;
  startedAt: Date;
  durationMs: number;
  url: string;
  statusCode: number | undefined;
  /** Absent on success. */
  error: string | undefined;
  remoteAddress: string | undefined;
  retryAfter: string | undefined;
  response: Buffer;
  responseComplete: boolean;
}

/** A change of one delivery, to be written. */
export interface Result {
  delivery: Delivery;
  next: Next;
  /** Monotonic time from which the rest before the next attempt counts. */
  endedAt: number;
  /** Absent when the delivery ends without a request, because its endpoint takes none any more. */
  log: AttemptLog | undefined;
}
