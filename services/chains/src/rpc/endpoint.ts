// One JSON-RPC provider over HTTP: keep-alive, a bound on time and size, and an answer that must match its
// question. The address may hold a key, so it appears in no error; providers are known by their place in the list.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { constants } from "node:http2";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/**
 * What kept a call from an answer. The provider itself: timeout, network, http, busy, malformed (no JSON-RPC).
 * This one question: refused (an error in answer), too_large, implausible (an answer that cannot be true).
 */
export type RpcFault =
  | "timeout"
  | "network"
  | "http"
  | "busy"
  | "malformed"
  | "refused"
  | "too_large"
  | "implausible";

export class RpcError extends Error {
  readonly fault: RpcFault;
  /** The code of a refusal, or the HTTP status. */
  readonly code: number | undefined;
  constructor(fault: RpcFault, what: string, code?: number) {
    super(code === undefined ? `${what}: ${fault}` : `${what}: ${fault} (${code})`);
    this.name = "RpcError";
    this.fault = fault;
    this.code = code;
  }
}

export interface Endpoint {
  /** E.g. "provider 2 of chain 8453": for logs and errors. */
  readonly name: string;
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  close(): void;
}

export interface EndpointOptions {
  name: string;
  url: string;
  timeoutMs: number;
  responseBytesMax: number;
}

const SOCKETS_MAX = 32;
const { HTTP_STATUS_OK, HTTP_STATUS_TOO_MANY_REQUESTS } = constants;
// Providers that report their limits inside an answer use this code of the JSON-RPC specification for Ethereum.
const LIMIT_EXCEEDED = -32_005;

export const createEndpoint = (options: EndpointOptions): Endpoint => {
  const { name, timeoutMs, responseBytesMax } = options;
  const url = new URL(options.url);
  const secure = url.protocol === "https:";
  const pool = { keepAlive: true, maxSockets: SOCKETS_MAX };
  const agent = secure ? new HttpsAgent(pool) : new HttpAgent(pool);
  const open = secure ? httpsRequest : httpRequest;
  let lastId = 0;

  const exchange = (what: string, body: string): Promise<{ status: number; body: Buffer }> =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const fail = () =>
        reject(new RpcError(signal.aborted ? "timeout" : "network", `${name}, ${what}`));
      const request = open(url, {
        ...{ method: "POST", agent, signal },
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          accept: "application/json",
        },
      });
      request.once("error", fail);
      request.once("response", (response) => {
        collect(response, responseBytesMax).then(
          (bytes) =>
            bytes === undefined
              ? reject(new RpcError("too_large", `${name}, ${what}`))
              : resolve({ status: response.statusCode ?? 0, body: bytes }),
          fail,
        );
      });
      request.end(body);
    });

  const call = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const id = ++lastId;
    const { status, body } = await exchange(
      method,
      JSON.stringify({ jsonrpc: "2.0", id, method, params }),
    );
    const what = `${name}, ${method}`;
    if (status === HTTP_STATUS_TOO_MANY_REQUESTS) throw new RpcError("busy", what, status);
    const answer = parse(body);
    const refusal = refusalIn(answer);
    if (refusal !== undefined) {
      throw new RpcError(refusal === LIMIT_EXCEEDED ? "busy" : "refused", what, refusal);
    }
    if (status !== HTTP_STATUS_OK) throw new RpcError("http", what, status);
    if (answer === undefined || answer.id !== id || !("result" in answer)) {
      throw new RpcError("malformed", what);
    }
    return answer.result;
  };

  return { name, call, close: () => agent.destroy() };
};

/** Undefined when there is more than the bound. */
const collect = async (
  response: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) {
      response.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const parse = (body: Buffer): Record<string, unknown> | undefined => {
  try {
    const answer: unknown = JSON.parse(body.toString("utf8"));
    return typeof answer === "object" && answer !== null
      ? (answer as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};

const refusalIn = (answer: Record<string, unknown> | undefined): number | undefined => {
  const error = answer?.error;
  if (typeof error !== "object" || error === null) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === "number" ? code : 0;
};
