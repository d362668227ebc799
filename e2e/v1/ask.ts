// Requests for tests of the wire format: headers are sent exactly as given, and every byte of the answer is kept. fetch
// would refuse many of these requests.
import { Agent, request as httpRequest } from "node:http";
import { PATIENCE_MS } from "@pay/testing";

const CONNECTIONS_MAX = 32;

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail where they are missing
  body: any;
}

export type Headers = Record<string, string | string[]>;

export interface Asked {
  headers?: Headers | undefined;
  /** Sent as JSON, unless it is text or bytes already. */
  body?: unknown;
}

export type Ask = (method: string, path: string, asked?: Asked) => Promise<Answer>;

export interface Client {
  ask: Ask;
  close(): void;
}

export function createClient(baseUrl: string, added: Headers = {}): Client {
  const { hostname: host, port } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });

  function send(method: string, path: string, { headers = {}, body }: Asked) {
    return new Promise<Answer>((resolve, reject) => {
      const plain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
      const bytes = plain ? body : JSON.stringify(body);
      const type = plain ? {} : { "content-type": "application/json" };
      const request = httpRequest(
        { host, port, agent, method, path, headers: { ...type, ...added, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.once("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString();
            const json =
              response.headers["content-type"]?.startsWith("application/json;") && text !== "";
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              body: json ? JSON.parse(text) : undefined,
            });
          });
        },
      );
      request.setTimeout(PATIENCE_MS, () =>
        request.destroy(new Error(`no answer to ${method} ${path.slice(0, 80)} in time`)),
      );
      request.once("error", reject);
      request.end(bytes);
    });
  }

  return {
    ask: (method, path, asked = {}) => send(method, path, asked),
    close: () => agent.destroy(),
  };
}

/** The form of every refusal, from any part of the gateway. */
export function refusal(statusCode: number, error: string, message: unknown) {
  return {
    statusCode,
    error,
    message,
  };
}
