// Receivers that stay connected, and get their project's events in the order of `GET /v1/events`. One question for all
// of them says which projects have a new event, so that a stream costs nothing while nothing happens.
//
// What can go wrong, and what happens then:
// - the webhooks service is away: a stream stays open and goes on where it was when the service is back.
// - a receiver does not read: no page is read for it until it has taken the one before, and a connection that takes
//   nothing is reset like any other.
// - the key is revoked: it is looked at once a page is read and before it is sent, and at every beat, and the stream
//   ends.
// - the connection breaks, the stream is old, the process stops: the receiver connects again, to any replica, with
//   the id of the last event in `Last-Event-ID`, and misses none.

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { asFailure, Failure, isRetryable } from "@pay/failures";
import { every, type Runtime } from "@pay/process";
import type { MerchantEvent } from "@pay/proto";
import type { Tenant } from "@pay/values";
import { Gauge } from "prom-client";
import {
  type DetachedResponse,
  detachResponse,
  endResponse,
  writePart,
} from "../http/detach-connection.ts";

const LOOK_MS = 250;
const LOOK_PAUSE_MAX_MS = 2_000;
const BEAT_MS = 15_000;
const AGE_MAX_MS = 900_000;
const RECONNECT_MS = 2_000;
/** Between the turns of streams whose clients only want to know that something happened; longer while events go on. */
const PACE_MS = { min: 500, max: 2_000 };
/** Both modes together, for keys and for members each: whose pages are open takes no place of the shop's servers. */
const PER_PROJECT_MAX = 10;

export interface EventStreamRequest {
  tenant: Tenant;
  response: ServerResponse;
  /** Id of the last event that the receiver has; empty for the oldest that is kept. */
  after: string;
  who: "key" | "member";
  /** Its events come without their bodies, and not one by one. */
  isTerse: boolean;
  /** Refuses once the key is not valid any more. */
  admit(): Promise<unknown>;
  list(after: string): Promise<{ events: MerchantEvent[]; hasMore: boolean }>;
  render(event: MerchantEvent): object;
}

interface Stream extends Omit<EventStreamRequest, "response"> {
  answer: DetachedResponse;
  sinceMs: number;
  isOpen: boolean;
  /** Whether there may be events that it has not sent. */
  isBehind: boolean;
  isSending: boolean;
  /** It is sent nothing before. */
  dueMs: number;
  paceMs: number;
}

export interface EventStreams {
  /** Sends every event after a known one, and goes on until one side ends it. */
  open(request: EventStreamRequest): void;
}

type FeedPositions = (tenants: readonly Tenant[]) => Promise<bigint[]>;

const open = new Gauge({ name: "event_streams_open", help: "Receivers that follow events now" });

export function createEventStreams(options: {
  streamsMax: number;
  feedPositions: FeedPositions;
  runtime: Runtime;
}): EventStreams {
  const { streamsMax, feedPositions, runtime } = options;
  const streams = new Set<Stream>();
  const watchMoves = createFeedWatch(feedPositions);
  const read = createReadPage();

  async function look(): Promise<void> {
    const followed = new Map([...streams].map(({ tenant }) => [getName(tenant), tenant]));
    const moved = await watchMoves(followed);
    for (const stream of streams) {
      if (moved.has(getName(stream.tenant))) stream.isBehind = true;
      void send(stream, read);
    }
  }

  async function beat(): Promise<void> {
    const oldMs = performance.now() - AGE_MAX_MS;
    for (const stream of streams) {
      if (stream.sinceMs < oldMs) endResponse(stream.answer);
      else void beatOne(stream);
    }
  }

  every({
    name: "look for events of streams",
    intervalMs: LOOK_MS,
    runtime,
    act: look,
    retryPauseMaxMs: LOOK_PAUSE_MAX_MS,
  });
  every({ name: "beat of event streams", intervalMs: BEAT_MS, runtime, act: beat });
  runtime.stopping.addEventListener("abort", () => {
    for (const { answer } of streams) endResponse(answer);
  });

  return {
    open: (request) => {
      if (streams.size >= streamsMax || runtime.stopping.aborted) {
        throw new Failure("service_overloaded", "Too many streams of events; try again later");
      }
      checkShare(request, streams);
      if (request.response.req.socket.destroyed) return;
      const stream = beginStream(request);
      streams.add(stream);
      open.set(streams.size);
      stream.answer.socket.on("close", () => {
        stream.isOpen = false;
        streams.delete(stream);
        open.set(streams.size);
      });
      void send(stream, read);
    },
  };
}

/** Answers the names of the tenants that have an event which was not there at the last question. */
function createFeedWatch(feedPositions: FeedPositions) {
  const positions = new Map<string, bigint>();
  return async (followed: ReadonlyMap<string, Tenant>): Promise<ReadonlySet<string>> => {
    const moved = new Set<string>();
    for (const name of positions.keys()) if (!followed.has(name)) positions.delete(name);
    if (followed.size === 0) return moved;
    const found = await feedPositions([...followed.values()]);
    [...followed.keys()].forEach((name, at) => {
      const position = found[at] ?? 0n;
      if (positions.get(name) !== position) moved.add(name);
      positions.set(name, position);
    });
    return moved;
  };
}

/** One project cannot take the places of all. */
function checkShare(
  { tenant, who, response }: EventStreamRequest,
  streams: ReadonlySet<Stream>,
): void {
  const { projectId } = tenant;
  const own = [...streams].filter((one) => one.tenant.projectId === projectId && one.who === who);
  if (own.length < PER_PROJECT_MAX) return;
  response.setHeader("Retry-After", String(BEAT_MS / 1_000));
  throw new Failure(
    "rate_limited",
    `A project may have at most ${PER_PROJECT_MAX} streams of events at a time`,
  );
}

function beginStream({ response, ...kept }: EventStreamRequest): Stream {
  const answer = detachResponse(response, {
    "Content-Type": "text/event-stream",
    "X-Accel-Buffering": "no",
  });
  writePart(answer, `retry: ${RECONNECT_MS}\n\n`);
  const sinceMs = performance.now();
  const turns = { dueMs: 0, paceMs: PACE_MS.min };
  return { ...kept, ...turns, answer, sinceMs, isOpen: true, isBehind: true, isSending: false };
}

async function send(stream: Stream, read: ReadPage): Promise<void> {
  if (stream.isSending) return;
  stream.isSending = true;
  try {
    while (stream.isBehind && stream.isOpen && stream.dueMs <= performance.now()) {
      stream.isBehind = false;
      await sendPage(stream, read);
    }
  } catch (error) {
    // The next look tries again.
    if (isPassing(error)) stream.isBehind = true;
    else endResponse(stream.answer);
  } finally {
    stream.isSending = false;
  }
}

function isPassing(error: unknown): boolean {
  return isRetryable(asFailure(error).errorCode);
}

function getName({ projectId, mode }: Tenant): string {
  return `${mode} ${projectId}`;
}

interface Page {
  /** As it is sent; empty without events. */
  text: string;
  /** Id of its last event. */
  last: string | undefined;
  hasMore: boolean;
}

type ReadPage = (stream: Stream) => Promise<Page>;

/** Streams of a tenant that are at the same event are sent the same page, which is read and rendered once. */
function createReadPage(): ReadPage {
  const reading = new Map<string, Promise<Page>>();
  return (stream) => {
    const place = `${getName(stream.tenant)} ${stream.isTerse} ${stream.after}`;
    const known = reading.get(place);
    if (known !== undefined) return known;
    const page = readPage(stream).finally(() => reading.delete(place));
    reading.set(place, page);
    return page;
  };
}

async function readPage({ after, list, render }: Stream): Promise<Page> {
  const { events, hasMore } = await list(after);
  const parts = events.map(
    (event) => `id: ${event.id}\ndata: ${JSON.stringify(render(event))}\n\n`,
  );
  return { text: parts.join(""), last: events.at(-1)?.id, hasMore };
}

async function sendPage(stream: Stream, read: ReadPage): Promise<void> {
  const { answer, admit } = stream;
  const { text, last, hasMore } = await read(stream);
  // Looked at earlier, the key could be revoked before an event of this page happened.
  await admit();
  if (!answer.socket.writable || last === undefined) return;
  if (hasMore) stream.isBehind = true;
  else if (stream.isTerse) rest(stream);
  writePart(answer, text);
  stream.after = last;
  if (answer.socket.writableNeedDrain) await drained(answer.socket);
}

/** Turns are at the same times for all, so that the streams of a project come to the same event and share its page. */
function rest(stream: Stream): void {
  const now = performance.now();
  const goesOn = now - stream.dueMs < stream.paceMs;
  stream.paceMs = goesOn ? Math.min(2 * stream.paceMs, PACE_MS.max) : PACE_MS.min;
  stream.dueMs = (Math.floor(now / stream.paceMs) + 1) * stream.paceMs;
}

/** Until the client has taken what was written, or is gone. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    function end() {
      socket.off("drain", end).off("close", end);
      resolve();
    }

    socket.on("drain", end).on("close", end);
  });
}

async function beatOne({ answer, admit }: Stream): Promise<void> {
  try {
    await admit();
  } catch (error) {
    if (isPassing(error)) return;
    endResponse(answer);
  }
  if (!answer.socket.writableNeedDrain) writePart(answer, ":\n\n");
}
