// One HTTP request with JSON and its whole response: keep-alive, compression, a bound on time and size. The address may
// contain a key, so no error names it.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { RpcError } from "./rpc-error.ts";

const SOCKETS_MAX = 32;

export interface EndpointOptions {
  name: string;
  url: string;
  timeoutMs: number;
  responseBytesMax: number;
  /** Of a server that asks who calls it, or whose authority is a private one. PEM. */
  tls?: { cert?: string | undefined; key?: string | undefined; ca?: string | undefined };
}

interface Response {
  status: number;
  /** By its header Retry-After. */
  pauseMs: number | undefined;
  body: Buffer;
}

export function createExchange({ name, timeoutMs, responseBytesMax, ...options }: EndpointOptions) {
  const url = new URL(options.url);
  const secure = url.protocol === "https:";
  const pool = { keepAlive: true, maxSockets: SOCKETS_MAX };
  const agent = secure ? new HttpsAgent({ ...pool, ...options.tls }) : new HttpAgent(pool);
  const open = secure ? httpsRequest : httpRequest;

  /** `what` is asked, for errors. */
  function exchange(what: string, body: string): Promise<Response> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      function fail() {
        return reject(new RpcError(signal.aborted ? "timeout" : "network", `${name}, ${what}`));
      }

      const request = open(url, {
        method: "POST",
        agent,
        signal,
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

  return { exchange, close: () => agent.destroy() };
}

/** Seconds, or a time. */
function readPause(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
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
