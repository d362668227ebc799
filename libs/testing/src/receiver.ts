// A merchant's webhook receiver as tests need it: it answers by script, keeps the raw bytes and the time of every
// request, and judges nothing.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Authority, type Certificate, createAuthority } from "@pay/embedded";
import { PATIENCE_MS } from "./patience.ts";

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Names and values alternate, in the order received. */
  rawHeaders: string[];
  body: Buffer;
  /** Monotonic, in milliseconds: when the whole request was there. */
  arrivedAt: number;
  /** Which connection brought it, counted from 1. */
  connection: number;
}

/**
 * What the receiver does with a request: answers with a status, or
 * hang: never answers; reset: cuts the connection hard; close: ends it without a byte; garbage: answers something that
 * is not HTTP; drip: answers 200 at once and then sends its body a byte at a time.
 */
export type Script =
  | number
  | Answer
  | "hang"
  | "reset"
  | "close"
  | "garbage"
  | "drip"
  | ((request: Received, response: ServerResponse) => void);

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  delayMs?: number;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** What to trust to reach it, PEM; absent with plain http. */
  readonly ca: string | undefined;
  /** Everything received, in order of arrival. */
  readonly all: readonly Received[];
  readonly connections: { opened: number; open: number };
  /** Requests that are read and not answered yet: now, and at most so far. */
  readonly inFlight: { now: number; most: number };
  /** From now on; a list is followed step by step, its last step for ever. */
  respondWith(...scripts: [Script, ...Script[]]): void;
  /** The first request that matches and was not handed out before. */
  next(
    matches?: (request: Received) => boolean,
    options?: { timeoutMs?: number },
  ): Promise<Received>;
  stop(): Promise<void>;
}

interface Waiter {
  matches: (request: Received) => boolean;
  resolve: (request: Received) => void;
}

export async function startReceiver(
  options: {
    plain?: boolean;
    host?: string;
    port?: number;
    certificate?: Certificate;
    authority?: Authority;
  } = {},
): Promise<Receiver> {
  const { plain = false, host = "127.0.0.1", authority = createAuthority() } = options;
  const all: Received[] = [];
  const untaken: Received[] = [];
  const waiters = new Set<Waiter>();
  // By the peer's port: a TLS socket cannot be cut hard, the TCP socket below it can.
  const sockets = new Map<number | undefined, { tcp: Socket; number: number }>();
  const connections = { opened: 0, open: 0 };
  const inFlight = { now: 0, most: 0 };
  let scripts: Script[] = [200];

  function arrive(received: Received) {
    all.push(received);
    for (const waiter of waiters) {
      if (!waiter.matches(received)) continue;
      waiters.delete(waiter);
      return waiter.resolve(received);
    }
    untaken.push(received);
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const connection = sockets.get(request.socket.remotePort);
    const received = recorded(request, Buffer.concat(body), connection?.number ?? 0);
    inFlight.now++;
    inFlight.most = Math.max(inFlight.most, inFlight.now);
    response.once("close", () => inFlight.now--);
    const script = (scripts.length > 1 ? scripts.shift() : scripts[0]) ?? 200;
    arrive(received);
    if (script === "reset") connection?.tcp.resetAndDestroy();
    else perform(script, received, response);
  }

  function listener(request: IncomingMessage, response: ServerResponse) {
    // A sender that goes away in the middle is part of many tests.
    answer(request, response).catch(() => request.socket.destroy());
  }

  const server = plain
    ? createHttpServer(listener)
    : createHttpsServer(
        options.certificate ?? authority.issue({ names: ["localhost", host] }),
        listener,
      );
  server.keepAliveTimeout = 60_000;
  server.on("connection", (tcp: Socket) => {
    const { remotePort } = tcp;
    connections.opened++;
    connections.open++;
    sockets.set(remotePort, { tcp, number: connections.opened });
    tcp.on("error", () => {});
    tcp.once("close", () => {
      connections.open--;
      sockets.delete(remotePort);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `${plain ? "http" : "https"}://${host}:${port}`,
    port,
    ca: plain ? undefined : authority.ca,
    all,
    connections,
    inFlight,
    respondWith: (...next) => {
      scripts = next;
    },
    next: (matches = () => true, { timeoutMs = PATIENCE_MS } = {}) =>
      new Promise((resolve, reject) => {
        const index = untaken.findIndex(matches);
        const [known] = index < 0 ? [] : untaken.splice(index, 1);
        if (known !== undefined) return resolve(known);
        const timer = setTimeout(() => {
          waiters.delete(waiter);
          reject(new Error(`no such request within ${timeoutMs} ms; ${all.length} in all`));
        }, timeoutMs);
        const waiter: Waiter = {
          matches,
          resolve: (request) => {
            clearTimeout(timer);
            resolve(request);
          },
        };
        waiters.add(waiter);
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const { tcp } of sockets.values()) tcp.destroy();
      }),
  };
}

function recorded(request: IncomingMessage, body: Buffer, connection: number): Received {
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers as Record<string, string>,
    rawHeaders: request.rawHeaders,
    body,
    arrivedAt: performance.now(),
    connection,
  };
}

function perform(script: Script, request: Received, response: ServerResponse): void {
  if (typeof script === "function") script(request, response);
  else if (typeof script === "number") response.writeHead(script).end();
  else if (typeof script === "object") answerLater(script, response);
  else if (script === "close") response.socket?.end();
  else if (script === "garbage") response.socket?.end("This is not HTTP.\r\n\r\n");
  else if (script === "drip") drip(response);
}

function answerLater(
  { status, headers, body, delayMs = 0 }: Answer,
  response: ServerResponse,
): void {
  function answer() {
    return response.writeHead(status, headers).end(body);
  }

  if (delayMs === 0) return void answer();
  const timer = setTimeout(answer, delayMs);
  response.once("close", () => clearTimeout(timer));
}

function drip(response: ServerResponse): void {
  response.writeHead(200).write(".");
  const timer = setInterval(() => response.write("."), 100);
  response.once("close", () => clearInterval(timer));
}

/** Accepts connections and never says a word. It reads, or it would never see that the other side has ended. */
export function createMuteServer(): Server {
  return createServer((socket) => void socket.on("error", () => {}).resume());
}
