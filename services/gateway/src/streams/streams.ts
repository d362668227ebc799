// Shoppers' pages that stay connected, and learn of a change of their payment when its event arrives. One
// subscription of the process serves all of them, so that a stream costs no query while nothing changes.
//
// What can go wrong, and what happens then:
// - an event arrives after the request's read of the payment and before its stream begins: the records that arrived
//   last are kept for a moment, and what came early follows the first status.
// - more arrives meanwhile than is kept: the payment is read once more, after the stream was registered.
// - events arrive again or late: a version that was sent already is not sent again.
// - an event is missed, e.g. while the broker is away: the page also asks for the status now and then.
// - thousands of pages wait: of each only the connection is kept, and they beat one after the other.
// - a client does not read: a stream whose client leaves too much unread is cut off.
// - the session that opened a stream ends: it is looked up at every beat and before every change is sent, and the
//   stream ends.
// - one link, address or project opens more streams than its share: the next one is rejected, and its page polls.
// - a page has left before its stream begins: it takes no place.
// - the process stops or the stream is old: it ends, and the page connects again, to another replica.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { fromBinary } from "@bufbuild/protobuf";
import { type BusRecord, TOPICS, toRecordKey } from "@pay/events";
import { asFailure, Failure, isRetryable } from "@pay/failures";
import { every, type Runtime } from "@pay/process";
import { type ArrivedAmount, EventSchema, type PaymentSnapshot } from "@pay/proto";
import {
  type DetachedResponse,
  detachResponse,
  endResponse,
  writePart,
} from "../http/detach-connection.ts";
import { createRecentRecords } from "./recent-records.ts";
import { createStreamRegister, type StreamShares } from "./stream-register.ts";

const BEAT_MS = 15_000;
const BEATS_LOOK_MS = 250;
const AGE_MAX_MS = 900_000;
/** After the last status a page has this long to learn of a later verdict. */
const ENDED_MAX_MS = 60_000;
const UNREAD_BYTES_MAX = 65_536;
const RECONNECT_MS = 2_000;
/** More than arrive while a request is admitted; each is a few kilobytes at most. */
const RECENT_MAX = 256;
const ENDED: ReadonlySet<string> = new Set(["confirmed", "expired", "refunded"]);

/** What a page is shown of its payment: the answer of payments has it, and so has the event of a change. */
export type FollowedPayment = Omit<
  PaymentSnapshot,
  "$typeName" | "$unknown" | "variant" | "hashes" | "arrived"
> & { arrived: readonly Pick<ArrivedAmount, "baseAmount" | "at">[] };

type Render = (payment: FollowedPayment) => Promise<object>;

interface Stream {
  paymentId: string;
  projectId: string;
  key: string;
  address: string;
  admit: StreamRequest["admit"];
  /** Absent until it has begun. */
  answer: DetachedResponse | undefined;
  render: Render;
  sinceMs: number;
  beatAtMs: number;
  endedSinceMs: number | undefined;
  /** Of the payment as it was sent last. */
  version: number;
  /** A change whose event arrived before the stream had begun. */
  early: FollowedPayment | undefined;
}

/** A stream keeps `render` for as long as it is open, and of the rest of the request nothing but the connection. */
export interface StreamRequest {
  response: ServerResponse;
  render: Render;
  /** Network of the client. */
  address: string;
  /** Rejects once the session that opened the stream has ended; absent where none did. */
  admit?: (() => Promise<unknown>) | undefined;
  /** As it was read for the request. */
  payment: FollowedPayment;
  /** When the request arrived, before the payment was read. */
  arrivedMs: number;
  /** Reads it again. */
  read(): Promise<FollowedPayment>;
}

export interface Streams {
  /** Sends the present status and goes on until one side ends it. */
  open(request: StreamRequest): Promise<void>;
  /** For the bus. */
  take(records: readonly BusRecord[]): Promise<void>;
}

export interface StreamBounds extends StreamShares {
  inProcess: number;
}

export function createStreams({ bounds, runtime }: { bounds: StreamBounds; runtime: Runtime }) {
  const register = createStreamRegister<Stream>(bounds);
  const recent = createRecentRecords(RECENT_MAX);

  async function beat(): Promise<void> {
    const nowMs = performance.now();
    register.forEach((stream) => {
      if (nowMs >= stream.beatAtMs) void beatOne(stream, nowMs);
    });
  }

  every({ name: "beat of streams", intervalMs: BEATS_LOOK_MS, runtime, act: beat });
  runtime.stopping.addEventListener("abort", () => register.forEach(end));

  const streams: Streams = {
    open: async (request) => {
      const { arrivedMs, response } = request;
      if (register.count() >= bounds.inProcess || runtime.stopping.aborted) {
        throw new Failure("service_overloaded", "Too many pages follow payments; try again later");
      }
      const stream = createStream(request);
      const full = register.findFullShare(stream);
      if (full !== undefined) {
        response.setHeader("Retry-After", String(BEAT_MS / 1_000));
        throw new Failure("rate_limited", `${full} has too many streams; read the status instead`);
      }
      const { socket } = response.req;
      if (socket.destroyed) return;
      register.add(stream);
      atClose(socket, stream, register.remove);
      try {
        await begin(stream, request, recent.since(arrivedMs, stream.key));
        if (runtime.stopping.aborted) end(stream);
      } catch (error) {
        register.remove(stream);
        throw error;
      }
    },
    take: async (records) => {
      for (const { topic, key, payload } of records) {
        if (topic !== TOPICS.payments) continue;
        recent.note({ key, payload });
        if (!register.followsKey(key)) continue;
        const payment = paymentIn(payload);
        if (payment === undefined) continue;
        let status: Promise<object> | undefined;
        for (const stream of register.ofPayment(payment.id)) {
          // Counted as sent, it would keep the first status back.
          if (stream.answer === undefined) stream.early = pickLater(stream.early, payment);
          else if (payment.version > stream.version) {
            // Once for all streams of the payment.
            status ??= stream.render(payment);
            sendLater(stream, payment, status);
          }
        }
      }
    },
  };
  return streams;
}

/** A function of its own, because the listener lives as long as the connection and keeps all that its scope holds. */
function atClose(socket: Socket, stream: Stream, remove: (stream: Stream) => void): void {
  socket.on("close", () => remove(stream));
}

/** The first status, and the change that arrived before it was sent. */
async function begin(
  stream: Stream,
  { payment, response, render, read }: StreamRequest,
  arrived: readonly Uint8Array[] | undefined,
): Promise<void> {
  const present = findLatest(payment, arrived) ?? (await read());
  // Before the answer begins, so that a fault is answered as one.
  const status = await render(present);
  stream.answer = detachResponse(response, {
    "Content-Type": "text/event-stream",
    "X-Accel-Buffering": "no",
  });
  writePart(stream.answer, `retry: ${RECONNECT_MS}\n\n`);
  push(stream, present, status);
  const { early } = stream;
  stream.early = undefined;
  if (early !== undefined && early.version > stream.version) {
    sendLater(stream, early, render(early));
  }
}

async function send(
  stream: Stream,
  payment: FollowedPayment,
  rendering: Promise<object>,
): Promise<void> {
  stream.version = payment.version;
  const [status] = await Promise.all([rendering, stream.admit?.()]);
  // A later change may have been rendered sooner.
  if (payment.version >= stream.version) push(stream, payment, status);
}

/** Not awaited: the bus must not wait for pages. */
function sendLater(stream: Stream, payment: FollowedPayment, status: Promise<object>): void {
  void send(stream, payment, status).catch(() => end(stream));
}

function push(stream: Stream, payment: FollowedPayment, status: object): void {
  stream.version = payment.version;
  if (ENDED.has(payment.status)) stream.endedSinceMs ??= performance.now();
  else stream.endedSinceMs = undefined;
  write(stream, `event: status\nid: ${payment.version}\ndata: ${JSON.stringify(status)}\n\n`);
}

function createStream({ payment, render, address, admit }: StreamRequest): Stream {
  const nowMs = performance.now();
  return {
    paymentId: payment.id,
    projectId: payment.projectId,
    key: toRecordKey(payment.projectId, payment.id),
    address,
    admit,
    answer: undefined,
    render,
    sinceMs: nowMs,
    // Thousands of streams that beat together would hold up every other request.
    beatAtMs: nowMs + Math.random() * BEAT_MS,
    endedSinceMs: undefined,
    version: 0,
    early: undefined,
  };
}

async function beatOne(stream: Stream, nowMs: number): Promise<void> {
  stream.beatAtMs = nowMs + BEAT_MS;
  const isOld = nowMs - stream.sinceMs > AGE_MAX_MS;
  if (isOld || nowMs - (stream.endedSinceMs ?? nowMs) > ENDED_MAX_MS) return end(stream);
  try {
    await stream.admit?.();
  } catch (error) {
    if (!isRetryable(asFailure(error).errorCode)) return end(stream);
  }
  write(stream, ":\n\n");
}

function pickLater(one: FollowedPayment | undefined, other: FollowedPayment): FollowedPayment {
  return one !== undefined && one.version > other.version ? one : other;
}

/** The payment after what arrived since it was read; undefined where that is not known. */
function findLatest(
  read: FollowedPayment,
  arrived: readonly Uint8Array[] | undefined,
): FollowedPayment | undefined {
  if (arrived === undefined) return undefined;
  const changes = arrived.map(paymentIn).filter((payment) => payment?.id === read.id);
  return changes.reduce<FollowedPayment>(
    (latest, change) => (change === undefined ? latest : pickLater(latest, change)),
    read,
  );
}

function write({ answer }: Stream, text: string): void {
  if (answer === undefined) return;
  if (answer.socket.writableLength > UNREAD_BYTES_MAX) answer.socket.destroy();
  else writePart(answer, text);
}

function end({ answer }: Stream): void {
  if (answer !== undefined) endResponse(answer);
}

/** Undefined for bytes that are no event of a payment. */
function paymentIn(payload: Uint8Array): FollowedPayment | undefined {
  try {
    const { resource } = fromBinary(EventSchema, payload);
    return resource.case === "payment" ? resource.value : undefined;
  } catch {
    return undefined;
  }
}
