// One JSON-RPC provider over HTTP: keep-alive, compression, several calls in one request, a bound on time and size, and an
// answer that must match its question. The address may hold a key, so it appears in no error; providers are known by
// their place in the list.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { type Refusal, readRefusal } from "./dialects.ts";

/**
 * What kept a call from an answer. The provider itself: timeout, network, http, busy, malformed (no JSON-RPC).
 * This one question: refused (an error in answer), too_wide (a range with too many results), unknown_block,
 * too_large, implausible (an answer that cannot be true).
 */
export type RpcFault =
  | "timeout"
  | "network"
  | "http"
  | "malformed"
  | Refusal["kind"]
  | "too_large"
  | "implausible";

/** They say nothing about the provider. */
export const FAULTS_OF_THE_QUESTION: ReadonlySet<RpcFault> = new Set([
  ...(["refused", "too_wide", "unknown_block", "too_large", "implausible"] as const),
  ...(["reverted", "already_known", "nonce_too_low", "nonce_too_high"] as const),
  ...(["underpriced", "no_funds"] as const),
]);

interface Said {
  blocksMax?: number | undefined;
  pauseMs?: number | undefined;
}

export class RpcError extends Error {
  readonly fault: RpcFault;
  /** The code of a refusal, or the HTTP status. */
  readonly code: number | undefined;
  /** A range that the provider proposes instead, in blocks. It is read from the provider's text, which is not kept. */
  readonly blocksMax: number | undefined;
  /** How long the provider asks not to be asked. */
  readonly pauseMs: number | undefined;
  constructor(fault: RpcFault, what: string, code?: number, said: Said = {}) {
    super(code === undefined ? `${what}: ${fault}` : `${what}: ${fault} (${code})`);
    this.name = "RpcError";
    this.fault = fault;
    this.code = code;
    this.blocksMax = said.blocksMax;
    this.pauseMs = said.pauseMs;
  }
}

export interface Call {
  method: string;
  params: readonly unknown[];
}

export interface Answers {
  /** In the order of the calls. */
  values: unknown[];
  /** Of the whole answer, unzipped. */
  bytes: number;
}

export interface Endpoint {
  /** E.g. "provider 2 of chain 8453": for logs and errors. */
  readonly name: string;
  /** Bound on one request. */
  readonly timeoutMs: number;
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Calls that travel as one request; all are answered, or none. */
  callMany(calls: readonly Call[]): Promise<Answers>;
  /** The same where each has its own end: an RpcError stands in the place of a refusal. */
  callEach(calls: readonly Call[]): Promise<unknown[]>;
  close(): void;
}

export interface EndpointOptions {
  name: string;
  url: string;
  timeoutMs: number;
  responseBytesMax: number;
  /** Of a server that asks who calls it, or whose authority is a private one. PEM. */
  tls?: { cert?: string | undefined; key?: string | undefined; ca?: string | undefined };
}

const SOCKETS_MAX = 32;
const HTTP_OK = 200;
const HTTP_TOO_MANY_REQUESTS = 429;
const HTTP_UNAVAILABLE = 503;

interface Response {
  status: number;
  /** By its header Retry-After. */
  pauseMs: number | undefined;
  body: Buffer;
}

export function createEndpoint(options: EndpointOptions): Endpoint {
  const { name, timeoutMs, responseBytesMax } = options;
  const url = new URL(options.url);
  const secure = url.protocol === "https:";
  const pool = { keepAlive: true, maxSockets: SOCKETS_MAX };
  const agent = secure ? new HttpsAgent({ ...pool, ...options.tls }) : new HttpAgent(pool);
  const open = secure ? httpsRequest : httpRequest;
  let lastId = 0;

  function exchange(what: string, body: string): Promise<Response> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      function fail() {
        return reject(new RpcError(signal.aborted ? "timeout" : "network", `${name}, ${what}`));
      }

      const request = open(url, {
        ...{ method: "POST", agent, signal },
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          accept: "application/json",
          "accept-encoding": "gzip",
        },
      });
      request.once("error", fail);
      request.once("response", (response) => {
        collect(unzipped(response), responseBytesMax).then(
          (bytes) =>
            bytes === undefined
              ? reject(new RpcError("too_large", `${name}, ${what}`))
              : resolve({
                  status: response.statusCode ?? 0,
                  pauseMs: readPause(response.headers["retry-after"]),
                  body: bytes,
                }),
          fail,
        );
      });
      request.end(body);
    });
  }

  async function ask(what: string, question: object): Promise<{ answer: unknown; bytes: number }> {
    const { status, pauseMs, body } = await exchange(what, JSON.stringify(question));
    const about = `${name}, ${what}`;
    const isPaused = status === HTTP_UNAVAILABLE && pauseMs !== undefined;
    if (status === HTTP_TOO_MANY_REQUESTS || isPaused) {
      throw new RpcError("busy", about, status, { pauseMs });
    }
    const answer = parse(body);
    throwRefusal(answer, about);
    if (status !== HTTP_OK) throw new RpcError("http", about, status);
    return { answer, bytes: body.length };
  }

  async function call(method: string, params: readonly unknown[]): Promise<unknown> {
    const id = ++lastId;
    const { answer } = await ask(method, { jsonrpc: "2.0", id, method, params });
    return resultOf(answer, id, method);
  }

  function resultOf(answer: unknown, id: number, method: string): unknown {
    if (isObject(answer) && answer.id === id && "result" in answer) return answer.result;
    throw new RpcError("malformed", `${name}, ${method}`);
  }

  async function callMany(calls: readonly Call[]): Promise<Answers> {
    const answers = await askTogether(calls);
    for (const answer of answers.values) if (answer instanceof RpcError) throw answer;
    return answers;
  }

  async function callEach(calls: readonly Call[]): Promise<unknown[]> {
    const [first] = calls;
    if (first === undefined) return [];
    if (calls.length === 1) return [await call(first.method, first.params).catch(refusal)];
    return (await askTogether(calls)).values;
  }

  async function askTogether(calls: readonly Call[]): Promise<Answers> {
    const questions = calls.map((one) => ({ jsonrpc: "2.0", id: ++lastId, ...one }));
    const [first] = questions;
    if (first === undefined) return { values: [], bytes: 0 };
    // Not every node takes a list, and this one needs none.
    const isOne = questions.length === 1;
    const { answer, bytes } = await ask(first.method, isOne ? first : questions);
    const list = isOne ? [answer] : answer;
    if (!Array.isArray(list)) throw new RpcError("malformed", `${name}, ${first.method}`);
    const answers = new Map(list.map((one) => [isObject(one) ? one.id : undefined, one]));
    const values = questions.map(({ id, method }) => {
      try {
        const one: unknown = answers.get(id);
        throwRefusal(one, `${name}, ${method}`);
        return resultOf(one, id, method);
      } catch (error) {
        return refusal(error);
      }
    });
    return { values, bytes };
  }

  return { name, timeoutMs, call, callMany, callEach, close: () => agent.destroy() };
}

function refusal(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  throw error;
}

function throwRefusal(answer: unknown, what: string): void {
  const error = isObject(answer) ? answer.error : undefined;
  if (!isObject(error)) return;
  const { kind, blocksMax } = readRefusal(error);
  throw new RpcError(kind, what, typeof error.code === "number" ? error.code : 0, { blocksMax });
}

/** Seconds, or a time. */
function readPause(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function unzipped(response: IncomingMessage): Readable {
  if (response.headers["content-encoding"] !== "gzip") return response;
  return pipeline(response, createGunzip(), () => {});
}

/** Undefined when there is more than the bound. */
async function collect(source: Readable, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) {
      source.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
