// Requests to addresses that others chose. One deadline covers everything from the name to the last byte that is read;
// redirects are answers like any other; only a bounded part of a body is read, and the call ends when a receiver sends
// it too slowly. When a kept connection turns out to have been closed by its peer before a byte of an answer, the
// request is sent once more on a new one: receivers close idle connections whenever they like, and the request did not
// fail.
import { createConnections } from "./connections.ts";
import { type Exchange, type Reply, runExchange, type Target } from "./exchange.ts";
import { classifyFault, type FaultClass } from "./faults.ts";
import { createPolicy, type PolicyOptions, type Verdict } from "./policy.ts";
import { createResolver } from "./resolver.ts";
import type { ConnectProxy } from "./tunnel.ts";

const RESPONSE_BYTES_MAX = 16 * 1024;
const JSON_BYTES_MAX = 64 * 1024;
/** How long the body of an answer may take once its status is known. */
const BODY_GRACE_MS = 250;
const RESEND_WITHIN_MS = 1_000;
const TARGETS_MAX = 10_000;

/** The receiver answered. */
export interface Response extends Reply {
  fault?: undefined;
  remoteAddress: string | undefined;
  durationMs: number;
}

/** The receiver did not answer. */
export interface NoResponse {
  fault: FaultClass;
  remoteAddress: string | undefined;
  durationMs: number;
}

export interface PostRequest {
  url: string;
  /** Names and values alternate; they are sent in this order. */
  headers: string[];
  body: Uint8Array;
  timeoutMs: number;
}

export type JsonResult =
  | { statusCode: number; json: unknown; fault?: undefined }
  | { fault: FaultClass };

export type BytesResult =
  | { statusCode: number; bytes: Buffer; complete: boolean; fault?: undefined }
  | { fault: FaultClass };

export interface EgressOptions extends PolicyOptions {
  /** Certificates to trust instead of those of the system, PEM. */
  ca?: string | undefined;
  /** Resolvers to query instead of the system's, as "address:port". */
  dnsServers?: readonly string[] | undefined;
  /** The only way out, where there is one: a CONNECT proxy. */
  proxy?: ConnectProxy | undefined;
  /** How long a connection may be used before its name is resolved again. */
  connectionAgeMaxMs?: number | undefined;
}

export interface Egress {
  /** Applies the policy to a URL before anything is sent there. */
  check(url: string): Verdict;
  post(request: PostRequest): Promise<Response | NoResponse>;
  /** Reads a small JSON document, at most 64 KiB. */
  getJson(request: { url: string; timeoutMs: number }): Promise<JsonResult>;
  /** Reads what is there, at most `bytesMax`; it is not complete where there is more. */
  getBytes(request: {
    url: string;
    accept: string;
    /** Names and values alternate. */
    headers?: readonly string[];
    bytesMax: number;
    timeoutMs: number;
  }): Promise<BytesResult>;
  close(): void;
}

export function createEgress(options: EgressOptions = {}): Egress {
  const policy = createPolicy(options);
  const resolve = createResolver({ servers: options.dnsServers, isSystemName: policy.trusts });
  const connections = createConnections({ policy, resolve, ...options });
  const targets = new Map<string, Target | undefined>();

  // Parsing costs as much as signing, and few URLs get most of the requests.
  function parseTarget(raw: string): Target | undefined {
    if (targets.has(raw)) return targets.get(raw);
    if (targets.size >= TARGETS_MAX) targets.clear();
    const { url } = policy.check(raw);
    const parsed = url === undefined ? undefined : new URL(url);
    const target = parsed && { origin: parsed.origin, path: parsed.pathname + parsed.search };
    targets.set(raw, target);
    return target;
  }

  async function send(target: Target, exchange: Exchange, timeoutMs: number) {
    const startedAt = performance.now();
    let connection = connections.take(target.origin);
    let outcome = await runExchange({ connections, connection, target, exchange, timeoutMs });
    const elapsedMs = performance.now() - startedAt;
    if (outcome.fault !== undefined && outcome.stale && elapsedMs < RESEND_WITHIN_MS) {
      connection = connections.takeFresh(target.origin);
      const leftMs = timeoutMs - elapsedMs;
      outcome = await runExchange({ connections, connection, target, exchange, timeoutMs: leftMs });
    }
    const { remoteAddress } = connection;
    return { ...outcome, remoteAddress, durationMs: Math.round(performance.now() - startedAt) };
  }

  /** Never rejects: a fault is an outcome like any other. */
  async function request(url: string, exchange: Exchange, timeoutMs: number) {
    const nothing = { remoteAddress: undefined, durationMs: 0 };
    try {
      const target = parseTarget(url);
      if (target === undefined) return { fault: "refused_url" as const, ...nothing };
      return await send(target, exchange, timeoutMs);
    } catch (error) {
      return { fault: classifyFault(error), ...nothing };
    }
  }

  return {
    check: policy.check,
    post: ({ url, headers, body, timeoutMs }) => request(url, toPost(headers, body), timeoutMs),
    getJson: async ({ url, timeoutMs }) => toJson(await request(url, GET_JSON, timeoutMs)),
    getBytes: async ({ url, accept, headers = [], bytesMax, timeoutMs }) => {
      const exchange = { ...GET_JSON, headers: ["accept", accept, ...headers], bytesMax };
      const { fault, ...reply } = await request(url, exchange, timeoutMs);
      if (fault !== undefined) return { fault };
      const { statusCode, body: bytes, complete } = reply as Response;
      return { statusCode, bytes, complete };
    },
    close: connections.close,
  };
}

function toPost(headers: string[], body: Uint8Array): Exchange {
  return {
    method: "POST",
    headers,
    body,
    bytesMax: RESPONSE_BYTES_MAX,
    bodyGraceMs: BODY_GRACE_MS,
  };
}

const GET_JSON: Exchange = {
  method: "GET",
  headers: ["accept", "application/json"],
  body: null,
  bytesMax: JSON_BYTES_MAX,
};

function toJson(result: Response | NoResponse): JsonResult {
  if (result.fault !== undefined) return { fault: result.fault };
  if (!result.complete) return { fault: "bad_response" };
  try {
    return { statusCode: result.statusCode, json: JSON.parse(result.body.toString("utf8")) };
  } catch {
    return { fault: "bad_response" };
  }
}
