// One connection's requests and answers, one at a time. A request leaves in one write. A connection on which bytes come
// that belongs to no request is closed, so that no answer is taken for that of another request.
import type { Socket } from "node:net";
import { type AnswerParser, createAnswerParser, type Head } from "./answer-parser.ts";
import { EgressFault } from "./faults.ts";

export interface WireRequest {
  method: "GET" | "POST";
  path: string;
  /** Names and values alternate; they are sent in this order. */
  headers: readonly string[];
  body: Uint8Array | null;
}

export interface AnswerHandler {
  onHead(head: Head): void;
  onBody(bytes: Buffer): void;
  /** The answer is whole; the connection may wait this long for another request, or not at all. */
  onEnd(idleMs: number): void;
  /** There is no more of it; `isBegun` where anything of it came. */
  onFault(error: unknown, isBegun: boolean): void;
}

export interface Wire {
  send(request: WireRequest, handler: AnswerHandler): void;
  destroy(): void;
}

const IDLE_MS = 20_000;
/** How much earlier than it says we expect a peer to close. */
const IDLE_MARGIN_MS = 2_000;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const TARGET = /^\/[\x21-\x7e]*$/;

/** The head of a request; throws where a part of it could be read as more than it is. */
function buildHead({ method, path, headers, body }: WireRequest, host: string): string {
  if (!TARGET.test(path)) throw new EgressFault("refused_url");
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    const value = headers[at + 1] ?? "";
    if (!NAME.test(name) || !VALUE.test(value)) throw new EgressFault("unknown");
    head += `${name}: ${value}\r\n`;
  }
  return body === null ? `${head}\r\n` : `${head}content-length: ${body.length}\r\n\r\n`;
}

function toBytes(request: WireRequest, host: string): Buffer {
  const head = buildHead(request, host);
  const bytes = Buffer.allocUnsafe(head.length + (request.body?.length ?? 0));
  bytes.write(head, "latin1");
  if (request.body !== null) bytes.set(request.body, head.length);
  return bytes;
}

export function createWire(
  socket: Socket,
  { host, onClosed }: { host: string; onClosed: () => void },
): Wire {
  let handler: AnswerHandler | undefined;
  let isBegun = false;
  let failure: unknown;
  let keepAlive: string | undefined;
  let parser: AnswerParser | undefined = createAnswerParser({
    onHead: (head) => {
      keepAlive = head.keepAlive;
      handler?.onHead(head);
    },
    onBody: (bytes) => handler?.onBody(bytes),
  });

  function finish(isReusable: boolean) {
    const ended = handler;
    const idleMs = isReusable ? parseIdleMs(keepAlive) : 0;
    handler = undefined;
    if (idleMs === 0) socket.destroy();
    ended?.onEnd(idleMs);
  }

  function fail(error: unknown) {
    failure ??= error;
    const failed = handler;
    handler = undefined;
    socket.destroy();
    failed?.onFault(error, isBegun);
  }

  socket.on("data", (chunk: Buffer) => {
    if (handler === undefined || parser === undefined) return void socket.destroy();
    isBegun = true;
    const progress = parser.push(chunk);
    if (progress === "bad") fail(new EgressFault("bad_response"));
    else if (progress !== "more") finish(progress === "kept");
  });
  // The deadline of a request keeps the process alive, an idle connection does not.
  socket.unref();
  socket.on("end", () => {
    if (handler === undefined || parser === undefined) return void socket.destroy();
    if (parser.end() === "last") finish(false);
    else fail(new EgressFault("connection_reset"));
  });
  socket.on("error", fail);
  socket.on("close", () => {
    parser?.free();
    parser = undefined;
    fail(new EgressFault("connection_reset"));
    onClosed();
  });

  return {
    send: (request, answerHandler) => {
      handler = answerHandler;
      isBegun = false;
      // Who answered before the last request was all there does not read the rest of it as that.
      if (socket.destroyed || socket.writableLength > 0) {
        return fail(failure ?? new EgressFault("connection_reset"));
      }
      try {
        socket.write(toBytes(request, host));
      } catch (error) {
        fail(error);
      }
    },
    destroy: () => {
      handler = undefined;
      socket.destroy();
    },
  };
}

/** From "timeout=5", with which many servers say when they close an idle connection. */
function parseIdleMs(keepAlive: string | undefined): number {
  const seconds = keepAlive === undefined ? undefined : /timeout=(\d{1,9})/i.exec(keepAlive)?.[1];
  if (seconds === undefined) return IDLE_MS;
  return Math.max(0, Math.min(IDLE_MS, Number(seconds) * 1_000 - IDLE_MARGIN_MS));
}
