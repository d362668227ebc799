import type { Next } from "../domain/schedule.ts";

/** A delivery in memory, while this worker owns it. */
export interface Delivery {
  id: string;
  /** Of its partition. */
  day: Date;
  endpointId: string;
  /** Version of the endpoint when the delivery was loaded. */
  endpointVersion?: string | undefined;
  /** Monotonic time before the statement that loaded it. */
  loadedAt: number;
  /** The worker that loaded it; changes of the row are guarded by it. */
  owner: number;
  /** Finished attempts. */
  attempts: number;
  eventId: string;
  projectId: string;
  /** Of the request that caused the event, with its trace. */
  requestId: string;
  /** Mode of tenancy.proto. */
  mode: number;
  eventType: string;
  resourceId: string;
  sequence: number;
  /** When the event happened. */
  occurredAt: Date;
  /** A person requests a redelivery, at any time after the event. */
  isRedelivery: boolean;
  body: Buffer;
  /** Monotonic time of the next attempt, in milliseconds. */
  dueAt: number;
}

/** One row of the log. */
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

/** The result of one step of a delivery, to be written. */
export interface Result {
  delivery: Delivery;
  next: Next;
  /** Monotonic time from which the delay of the next attempt counts. */
  endedAt: number;
  /** Absent when the delivery ends without a request. */
  log: AttemptLog | undefined;
}

/**
 * Copies bytes that share their memory. Node allocates small buffers from shared pools, and a pool stays in memory as
 * long as one of its buffers does.
 */
export function copyBuffer(bytes: Buffer): Buffer {
  if (bytes.length === 0) return EMPTY;
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

const EMPTY = Buffer.alloc(0);
